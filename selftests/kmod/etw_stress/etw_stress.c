// SPDX-License-Identifier: GPL-2.0-only
/*
 * etw_stress - events from every context of every CPU
 *
 * Each online CPU runs a thread and a timer that interrupts the thread; one more thread
 * sends NMIs to all CPUs, which interrupt both.  Each of the three has a stream of its
 * own per CPU, so a stream has one writer at a time.  Each also has its own event buffer,
 * because they nest.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include <etw/kernel.h>

#include "compat.h"
#include "etw_stress.h"

ETW_DEFINE_PROVIDER(stress_provider, ETW_STRESS_GUID);

union event_room {
	struct etw_stress_event event;
	u8 bytes[sizeof(struct etw_stress_event) + ETW_STRESS_FILL];
};

struct stress_cpu {
	struct etw_stress_tally tally[ETW_STRESS_SOURCES];
	union event_room room[ETW_STRESS_SOURCES];
	struct task_struct *thread;
	struct hrtimer timer;
	u32 cpu;
	u32 ticks;		/* of the timer */
	bool in_write;		/* the thread is within a write */
};

static DEFINE_PER_CPU(struct stress_cpu, stress_cpus);
static DEFINE_MUTEX(stress_lock);	/* start and stop */
static struct etw_stress_start config;
static struct task_struct *nmi_thread;
static bool running;
static bool nmi_armed;
static u64 nmi_sent;
static int last_error;
static enum cpuhp_state hotplug_state;

static void fill_event(struct etw_stress_event *e, u32 source, u32 cpu, u64 number)
{
	u32 i;

	e->source = source;
	e->cpu = cpu;
	e->number = number;
	e->fill = etw_stress_fill(source, number);
	for (i = 0; i < e->fill; i++)
		e->bytes[i] = etw_stress_byte(number, i);
	e->check = etw_stress_check(e);
}

/* In pieces, the first two split at an odd place */
static __always_inline int write_pieces(const struct etw_event_descriptor *desc,
					const struct etw_stress_event *e, u32 fill)
{
	const struct etw_data_descriptor d[] = {
		etw_data(e, 12),
		etw_data((u8 *)e + 12, sizeof(*e) - 12),
		etw_data(e->bytes, fill),
	};

	return etw_write(&stress_provider, desc, ARRAY_SIZE(d), d);
}

static int write_event(const struct etw_event_descriptor *desc, const struct etw_stress_event *e)
{
	if (e->number % 4 == 1)
		return write_pieces(desc, e, ETW_STRESS_KNOWN);
	if (e->number % 4 == 3)
		return etw_write_fixed(&stress_provider, desc, e, sizeof(*e) + ETW_STRESS_FIXED);
	return write_pieces(desc, e, e->fill);
}

/* The next event of a stream; false at its limit. */
static bool write_next(struct stress_cpu *sc, u32 source)
{
	struct etw_stress_tally *t = &sc->tally[source];
	struct etw_stress_event *e = &sc->room[source].event;
	u64 number = t->attempted;
	struct etw_event_descriptor desc = {
		.id = source, .level = etw_stress_level(source, number),
		.keyword = etw_stress_keyword(source, number) };
	int ret;

	if (number >= config.limit)
		return false;
	fill_event(e, source, sc->cpu, number);
	t->attempted++;
	if (!ETW_EVENT_ENABLED(stress_provider, &desc)) {
		t->rejected++;
		return true;
	}
	ret = write_event(&desc, e);
	if (ret) {
		t->failed++;
		WRITE_ONCE(last_error, ret);
	} else {
		t->ok++;
	}
	return true;
}

static int thread_main(void *data)
{
	struct stress_cpu *sc = data;
	bool more = true;
	u32 i;

	while (!kthread_should_stop()) {
		for (i = 0; i < config.burst; i++) {
			WRITE_ONCE(sc->in_write, true);
			more = write_next(sc, ETW_STRESS_THREAD);
			WRITE_ONCE(sc->in_write, false);
			cond_resched();
		}
		if (config.pause_us || !more)
			usleep_range(config.pause_us + 100, config.pause_us + 200);
	}
	return 0;
}

static ktime_t timer_period(void)
{
	return ns_to_ktime((u64)config.timer_us * NSEC_PER_USEC);
}

static enum hrtimer_restart timer_main(struct hrtimer *timer)
{
	struct stress_cpu *sc = container_of(timer, struct stress_cpu, timer);
	struct stress_cpu *here = this_cpu_ptr(&stress_cpus);
	/*
	 * Sometimes write enough events to fill buffers: if the thread was within a
	 * record, its buffer completes only after later buffers.
	 */
	int i, count = ++sc->ticks % 4 ? 3 : 70;

	if (!READ_ONCE(running))
		return HRTIMER_NORESTART;
	if (here == sc && READ_ONCE(sc->in_write))
		sc->tally[ETW_STRESS_TIMER].nested++;
	for (i = 0; i < count; i++)
		write_next(sc, ETW_STRESS_TIMER);
	hrtimer_forward_now(timer, timer_period());
	return HRTIMER_RESTART;
}

/*
 * nmi_main() sends every NMI of this machine while it runs. Two NMIs may be merged into
 * one, so count those that arrive.
 */
static int nmi_handler(unsigned int cmd, struct pt_regs *regs)
{
	struct stress_cpu *sc = this_cpu_ptr(&stress_cpus);

	if (!READ_ONCE(nmi_armed))
		return NMI_DONE;
	if (READ_ONCE(sc->in_write))
		sc->tally[ETW_STRESS_NMI].nested++;
	write_next(sc, ETW_STRESS_NMI);
	return NMI_HANDLED;
}

static void send_nmi(const struct cpumask *mask)
{
#ifdef HAVE_APIC_SEND_IPI_MASK
	__apic_send_IPI_mask(mask, NMI_VECTOR);
#else
	apic->send_IPI_mask(mask, NMI_VECTOR);
#endif
}

static void nothing(void *unused)
{
}

static int nmi_main(void *unused)
{
	while (!kthread_should_stop()) {
		cpus_read_lock();
		preempt_disable();
		send_nmi(cpu_online_mask);
		preempt_enable();
		nmi_sent++;
		cpus_read_unlock();
		usleep_range(config.nmi_us, config.nmi_us + 50);
	}
	/* NMIs already sent arrive before anything sent after them. */
	on_each_cpu(nothing, NULL, 1);
	on_each_cpu(nothing, NULL, 1);
	return 0;
}

/* Runs on the CPU itself, when it comes online and when the stress begins. */
static int cpu_up(unsigned int cpu)
{
	struct stress_cpu *sc = per_cpu_ptr(&stress_cpus, cpu);
	struct task_struct *task;

	task = kthread_create_on_cpu(thread_main, sc, cpu, "etw_stress/%u");
	if (IS_ERR(task))
		return PTR_ERR(task);
	sc->thread = task;
	wake_up_process(task);
	etw_hrtimer_setup(&sc->timer, timer_main, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&sc->timer, timer_period(),
		      HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static int cpu_down(unsigned int cpu)
{
	struct stress_cpu *sc = per_cpu_ptr(&stress_cpus, cpu);

	kthread_stop(sc->thread);
	sc->thread = NULL;
	hrtimer_cancel(&sc->timer);
	return 0;
}

static void stress_stop(void)
{
	if (!running)
		return;
	WRITE_ONCE(running, false);
	cpuhp_remove_state(hotplug_state);
	kthread_stop(nmi_thread);
	WRITE_ONCE(nmi_armed, false);
	unregister_nmi_handler(NMI_LOCAL, "etw_stress");
}

static int stress_start(void)
{
	int cpu, ret;

	if (running)
		return -EBUSY;
	ret = register_nmi_handler(NMI_LOCAL, nmi_handler, 0, "etw_stress");
	if (ret)
		return ret;
	WRITE_ONCE(nmi_armed, true);
	WRITE_ONCE(running, true);
	for_each_possible_cpu(cpu)
		per_cpu(stress_cpus, cpu).cpu = cpu;	/* NMIs may arrive from here on */
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "etw_stress:cpu", cpu_up, cpu_down);
	if (ret < 0)
		goto err_nmi;
	hotplug_state = ret;
	nmi_thread = kthread_run(nmi_main, NULL, "etw_stress_nmi");
	if (!IS_ERR(nmi_thread))
		return 0;
	ret = PTR_ERR(nmi_thread);
	cpuhp_remove_state(hotplug_state);
err_nmi:
	WRITE_ONCE(running, false);
	WRITE_ONCE(nmi_armed, false);
	unregister_nmi_handler(NMI_LOCAL, "etw_stress");
	return ret;
}

/* A snapshot while the writers run; exact once they have stopped. */
static int stress_tally(void __user *arg)
{
	struct etw_stress_tallies *all = kzalloc(sizeof(*all), GFP_KERNEL);
	int cpu, source, ret;

	if (!all)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		for (source = 0; source < ETW_STRESS_SOURCES; source++)
			if (cpu < ETW_STRESS_CPUS)
				all->t[source][cpu] = data_race(per_cpu(stress_cpus, cpu).tally[source]);
	all->nmi_sent = data_race(nmi_sent);
	all->last_error = READ_ONCE(last_error);
	ret = copy_to_user(arg, all, sizeof(*all)) ? -EFAULT : 0;
	kfree(all);
	return ret;
}

static long stress_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct etw_stress_start start;
	long ret = 0;

	mutex_lock(&stress_lock);
	switch (cmd) {
	case ETW_STRESS_START_IOC:
		if (copy_from_user(&start, user, sizeof(start)))
			ret = -EFAULT;
		else if (running)
			ret = -EBUSY;
		else if (!start.burst || !start.timer_us || !start.nmi_us)
			ret = -EINVAL;
		if (ret)
			break;
		config = start;
		ret = stress_start();
		break;
	case ETW_STRESS_STOP_IOC:
		stress_stop();
		break;
	case ETW_STRESS_TALLY_IOC:
		ret = stress_tally(user);
		break;
	default:
		ret = -ENOTTY;
	}
	mutex_unlock(&stress_lock);
	return ret;
}

static const struct file_operations stress_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = stress_ioctl,
};

static struct miscdevice stress_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "etw_stress",
	.fops = &stress_fops,
};

static int __init stress_init(void)
{
	int ret;

	if (nr_cpu_ids > ETW_STRESS_CPUS)
		return -EINVAL;
	ret = etw_register(&stress_provider, "Etw-Stress-Provider", NULL, NULL);
	if (ret)
		return ret;
	ret = misc_register(&stress_device);
	if (ret)
		etw_unregister(&stress_provider);
	return ret;
}

static void __exit stress_exit(void)
{
	misc_deregister(&stress_device);
	stress_stop();
	etw_unregister(&stress_provider);
}

module_init(stress_init);
module_exit(stress_exit);

MODULE_DESCRIPTION("Events from every context of every CPU, for the tests of etw");
MODULE_LICENSE("GPL");
