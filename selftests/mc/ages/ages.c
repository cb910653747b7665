// SPDX-License-Identifier: GPL-2.0-only
/*
 * ages.c - a program on a header that mc.exe of some age could have made
 *
 * C and C++; compiled twice by unit/mc/mc_ages.sh, with -DOTHER as the program's second
 * file.  HEADER is the header, AGE its provider.  The functions of libetw are ours, so that
 * the program sees what the header's code calls, and enables the provider itself.
 */
#define MCGEN_ENABLE_FORCONTEXT_CODE_GENERATION 1
#include <windows.h>
#include HEADER

#define PASTE(a, b)	PASTE_(a, b)
#define PASTE_(a, b)	a##b

EXTERN_C ULONG other_write(void);
EXTERN_C const void *other_descriptor(void);

#ifdef OTHER

/* The same events by the same objects: enabled in one file, written in another */
ULONG other_write(void)
{
	return EventWriteAgeNumber(9, L"x");
}

const void *other_descriptor(void)
{
	return &AgeNumber;
}

#else

static int bad;

#define CHECK(x)							\
	do {								\
		if (!(x)) {						\
			printf("line %d: %s\n", __LINE__, #x);		\
			bad = 1;					\
		}							\
	} while (0)

static struct {
	PENABLECALLBACK callback;
	PVOID context;
	unsigned int registers, unregisters, writes, sets, traits;
	ULONG number;
	WCHAR text[16];
	USHORT id;
} seen;

#ifdef __cplusplus
extern "C" {
#endif

ULONG EventRegister(LPCGUID guid, PENABLECALLBACK callback, PVOID context, PREGHANDLE handle)
{
	CHECK(!memcmp(guid, &PASTE(AGE_, AGE), sizeof(*guid)));
	seen.registers++;
	seen.callback = callback;
	seen.context = context;
	*handle = 0x1234;
	return ERROR_SUCCESS;
}

ULONG EventUnregister(REGHANDLE handle)
{
	CHECK(handle == 0x1234);
	seen.unregisters++;
	return ERROR_SUCCESS;
}

ULONG EventSetInformation(REGHANDLE handle, EVENT_INFO_CLASS what, PVOID data, ULONG size)
{
	seen.sets++;
	CHECK(handle == 0x1234 && what == EventProviderSetTraits && size == 11 &&
	      !memcmp((char *)data + 2, "Age-20", 6));
	return ERROR_SUCCESS;
}

ULONG EventWriteTransfer(REGHANDLE handle, PCEVENT_DESCRIPTOR event, LPCGUID activity,
			 LPCGUID related, ULONG count, PEVENT_DATA_DESCRIPTOR data)
{
	CHECK(handle == 0x1234 && !activity && !related);
	if (count && data[0].Reserved == 2) {
		seen.traits += data[0].Size;
		data++;
		count--;
	}
	seen.writes++;
	seen.id = event->Id;
	if (count == 2) {
		memcpy(&seen.number, (const void *)(ULONG_PTR)data[0].Ptr, sizeof(seen.number));
		memcpy(seen.text, (const void *)(ULONG_PTR)data[1].Ptr, data[1].Size);
	}
	return ERROR_SUCCESS;
}

ULONG EventWrite(REGHANDLE handle, PCEVENT_DESCRIPTOR event, ULONG count,
		 PEVENT_DATA_DESCRIPTOR data)
{
	return EventWriteTransfer(handle, event, NULL, NULL, count, data);
}

#ifdef __cplusplus
}
#endif

static void enable(UCHAR level, ULONGLONG any)
{
	seen.callback(&PASTE(AGE_, AGE), EVENT_CONTROL_CODE_ENABLE_PROVIDER, level, any, 0, NULL,
		      seen.context);
}

static void check_events(void)
{
	CHECK((EventWriteAgeNumber(1, L"a")) == ERROR_SUCCESS);
	CHECK(!EventEnabledAgeNumber() && seen.writes == 0);

	enable(4, ~0ull);
	CHECK(EventEnabledAgeNumber() && !EventEnabledAgeQuiet());
	CHECK((EventWriteAgeNumber(7, L"abc")) == ERROR_SUCCESS);
	CHECK(seen.writes == 1 && seen.id == AgeNumber_value && seen.number == 7);
	CHECK(!wcscmp(seen.text, L"abc"));
	CHECK((EventWriteAgeNumber(8, NULL)) == ERROR_SUCCESS && !wcscmp(seen.text, L"NULL"));
	CHECK((EventWriteAgeQuiet()) == ERROR_SUCCESS && seen.writes == 2);
	CHECK(other_write() == ERROR_SUCCESS && seen.writes == 3 && seen.number == 9);
	CHECK(other_descriptor() == &AgeNumber);

	enable(5, 2);
	CHECK(!EventEnabledAgeNumber() == !(AgeNumber.Keyword & 2) && EventEnabledAgeQuiet());
	CHECK((EventWriteAgeQuiet()) == ERROR_SUCCESS && seen.writes == 4);
	CHECK(seen.id == AgeQuiet_value);

	seen.callback(NULL, EVENT_CONTROL_CODE_DISABLE_PROVIDER, 0, 0, 0, NULL, seen.context);
	CHECK(!EventEnabledAgeNumber() && !EventEnabledAgeQuiet());
}

#if AGE >= 2022
static void check_own_context(void)
{
	McGenContext_Age_2022 *own = (McGenContext_Age_2022 *)malloc(sizeof(*own));

	CHECK(EventRegisterAge_2022_ForContext(own) == ERROR_SUCCESS);
	enable(0, ~0ull);
	CHECK(EventEnabledAgeQuiet_ForContext(own) && !EventEnabledAgeQuiet());
	seen.writes = 0;
	CHECK((EventWriteAgeQuiet_ForContext(own)) == ERROR_SUCCESS && seen.writes == 1);
	CHECK(EventUnregisterAge_2022_ForContext(own) == ERROR_SUCCESS);
	free(own);
}
#endif

int main(void)
{
	CHECK(PASTE(EventRegisterAge_, AGE)() == ERROR_SUCCESS && seen.registers == 1);
	CHECK(PASTE(EventRegisterAge_, AGE)() == ERROR_SUCCESS && seen.registers == 1);
	check_events();
#if AGE >= 2018
	CHECK(seen.sets == 2 && seen.traits == 4 * 11);
#else
	CHECK(seen.sets == 0 && seen.traits == 0);
#endif
	CHECK(PASTE(EventUnregisterAge_, AGE)() == ERROR_SUCCESS && seen.unregisters == 1);
	CHECK(PASTE(EventUnregisterAge_, AGE)() == ERROR_SUCCESS && seen.unregisters == 1);
#if AGE >= 2022
	check_own_context();
#endif
	return bad;
}

#endif /* OTHER */
