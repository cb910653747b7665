// SPDX-License-Identifier: GPL-2.0-only
/*
 * weather.c - background load: events from interrupts and NMIs (the module etw_stress),
 * and CPU 1 going offline and online
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <time.h>

#include "exec.h"
#include "kmod/etw_stress/etw_stress.h"

_Static_assert(sizeof(struct etw_stress_start) == 24, "as the module has it");

static pthread_t weather;
static atomic_bool ending;
static int stress_fd = -1, cpu_fd = -1;
static bool threaded;

static void pause_ms(unsigned int ms)
{
	struct timespec ts = { 0, 50 * 1000 * 1000 };

	for (; ms >= 50 && !atomic_load(&ending); ms -= 50)
		nanosleep(&ts, NULL);
}

static void stress(bool on)
{
	struct etw_stress_start s = { .pause_us = 20000, .burst = 4, .timer_us = 20000,
				      .nmi_us = 25000, .limit = 1ull << 60 };

	if (stress_fd >= 0)
		ioctl(stress_fd, on ? ETW_STRESS_START_IOC : ETW_STRESS_STOP_IOC, &s);
}

static void cpu(const char *online)
{
	cover_call_begin(COVER_WEATHER);
	if (cpu_fd >= 0 && pwrite(cpu_fd, online, 1, 0) < 0 && errno != EBUSY)
		finding("CPU 1 cannot be set to %s: %s", online, strerror(errno));
	cover_take(COVER_WEATHER);
}

/* A round takes about 15 seconds, most of it calm: an emulated machine is slow. */
static void *weather_thread(void *arg)
{
	cover_thread_start(COVER_WEATHER, false);
	while (!atomic_load(&ending)) {
		pause_ms(6000);
		stress(true);
		pause_ms(1000);
		cpu("0");
		pause_ms(300);
		cpu("1");
		pause_ms(700);
		stress(false);
		pause_ms(6000);
		cpu("0");
		pause_ms(300);
		cpu("1");
	}
	cpu("1");
	stress(false);
	return arg;
}

void weather_start(bool with_stress, bool hotplug)
{
	sigset_t all, old;

	if (with_stress)
		stress_fd = own_fd("/dev/etw_stress", O_RDWR);
	if (hotplug)
		cpu_fd = own_fd("/sys/devices/system/cpu/cpu1/online", O_RDWR);
	if ((with_stress && stress_fd < 0) || (hotplug && cpu_fd < 0))
		finding("no weather: %s", strerror(errno));
	if (stress_fd < 0 && cpu_fd < 0)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	threaded = !pthread_create(&weather, NULL, weather_thread, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void weather_stop(void)
{
	atomic_store(&ending, true);
	if (threaded)
		pthread_join(weather, NULL);
	threaded = false;
}
