// SPDX-License-Identifier: MIT
// known.cpp - a program whose functions the tests know: inlined, nested, and with mangled names
#include <cstdio>
#include <cstdlib>

#define MARK(name)	asm volatile(".globl " #name "\n" #name ":\n\tnop")

namespace shop {

template <class T> struct Cart {
	T sum;

	static inline __attribute__((always_inline)) T add(T a, T b)
	{
		volatile T x = a;

		for (int i = 0; i < 10; i++)
			x = x + b;
		MARK(in_add);
		return x;
	}

	static inline __attribute__((always_inline)) T price(T a, T b)
	{
		return add(a, b) * 2;
	}

	__attribute__((noinline)) T check_out(T a);
};

template <class T> T Cart<T>::check_out(T a)
{
	T all = price(a, sum);

	MARK(in_check_out);
	return all;
}

}

// Samples of it are to be found, so that it runs for so many milliseconds if it is asked to.
int main(int argc, char **argv)
{
	shop::Cart<int> cart{argc};
	int all = 0;

	for (long left = argc > 1 ? atol(argv[1]) * 10000 : 1; left > 0; left--)
		all += cart.check_out(3);
	MARK(in_main);
	printf("%d\n", all);
	return 0;
}
