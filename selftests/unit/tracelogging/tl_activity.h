/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tl_activity.h - TraceLoggingActivity.h; C++
 */
#include <TraceLoggingActivity.h>

typedef TraceLoggingActivity<tl_provider, 0x10, 3> tl_kind;
typedef TraceLoggingThreadActivity<tl_provider> tl_thread_kind;

static bool tl_event(const char *meta, int opcode, unsigned int id, unsigned int parent)
{
	return tl_is(meta, "") && tl_caught.desc.Opcode == opcode && tl_caught.has_activity &&
	       tl_caught.activity.Data1 == id && tl_caught.has_related == (parent != 0) &&
	       (!parent || tl_caught.related.Data1 == parent);
}

static void tl_plain_activity()
{
	GUID parent = { 77, 0, 0, { 0 } };
	unsigned int id = tl_made_ids + 1;
	tl_kind a;

	tl_forget();
	TraceLoggingWriteTaggedIfStarted(a, "no");
	is(tl_caught.count, 0, "not started, not tagged");
	a.SetRelatedActivityId(parent);
	ok(!a.IsStarted() && !a.Id()->Data1, "not started");
	TraceLoggingWriteStart(a, "a");
	ok(tl_event("00 6100", 1, id, 77), "start");
	ok(tl_caught.desc.Level == 3 && tl_caught.desc.Keyword == 0x10, "level and keyword");
	ok(a.IsStarted() && a.Id()->Data1 == id && a.Provider() == tl_provider, "started");
	tl_forget();
	TraceLoggingWriteTagged(a, "t", TraceLoggingLevel(4));
	ok(tl_event("00 7400", 0, id, 0) && tl_caught.desc.Level == 4 && !tl_caught.desc.Keyword,
	   "tagged");
	int looks = 0;

	tl_forget();
	TraceLoggingWriteTaggedIfStarted((looks++, a), "t");
	ok(looks == 1 && tl_event("00 7400", 0, id, 0), "started: tagged, tested once");
	tl_kind b(static_cast<tl_kind &&>(a));

	ok(!a.IsStarted() && b.IsStarted() && b.Id()->Data1 == id, "moved");
	tl_forget();
	TraceLoggingWriteStop(b, "a");
	ok(tl_event("00 6100", 2, id, 0) && tl_caught.desc.Level == 3, "stop");
	ok(!b.IsStarted(), "stopped");

	tl_forget();
	{
		tl_kind c;

		c.SetRelatedActivity(b);
		TraceLoggingWriteStart(c, "c");
		ok(tl_event("00 6300", 1, id + 1, id), "a child");
		tl_forget();
	}
	ok(tl_event("00 416374697669747953746f707065644175746f6d61746963616c6c7900", 2, id + 1, 0),
	   "stopped by itself");
	tl_current = &etw_tl_nobody;
	tl_forget();
	{
		tl_kind d;

		TraceLoggingWriteStart(d, "d");
		ok(d.IsStarted() && !d.Id()->Data1, "started while no session listens");
	}
	is(tl_caught.count, 0, "no events");
	tl_current = &tl_entry;
}

static void tl_thread_activity()
{
	unsigned int id = tl_made_ids + 1;

	memset(&tl_thread_id, 0, sizeof(tl_thread_id));
	tl_forget();
	{
		tl_thread_kind a;

		TraceLoggingWriteStart(a, "a");
		ok(tl_event("00 6100", 1, id, 0) && tl_thread_id.Data1 == id, "start");
		tl_forget();
		{
			tl_thread_kind b;

			TraceLoggingWriteStart(b, "b");
			ok(tl_event("00 6200", 1, id + 1, id) && tl_thread_id.Data1 == id + 1,
			   "inner start");
			tl_forget();
			TraceLoggingWriteStop(b, "b");
			ok(tl_event("00 6200", 2, id + 1, 0), "inner stop");
		}
		is(tl_thread_id.Data1, id, "the thread's id is the outer one's again");
		tl_forget();
	}
	is(tl_caught.count, 1, "the outer stop");
	is(tl_thread_id.Data1, 0, "the thread has no id");
	{
		GUID set = { 5, 0, 0, { 0 } };
		TraceLoggingThreadActivityIdSetter setter(set);

		is(tl_thread_id.Data1, 5, "an id that was set");
	}
	is(tl_thread_id.Data1, 0, "is restored");
}

static void tl_named()
{
	TraceLoggingFunction(tl_provider, TraceLoggingLevel(2), TraceLoggingKeyword(4),
			     TraceLoggingInt8(1, "f"));
	ok(tl_is("00 746c5f6e616d656400 6600 03", "01") && tl_caught.desc.Opcode == 1 &&
	   tl_caught.desc.Level == 2 && tl_caught.desc.Keyword == 4, "a function's start");
	tl_forget();
}

/* The same in a template and an inline function: their metadata are in the section too. */
template <typename T> static void tl_template(T value, const char *meta, const char *payload)
{
	tl_forget();
	TraceLoggingWrite(tl_provider, "e", TraceLoggingValue(value, "v"));
	ok(tl_is(meta, payload), "a template");
}

inline void tl_inline(int value)
{
	tl_forget();
	TraceLoggingWrite(tl_provider, "i", TraceLoggingValue(value, "v"));
	ok(tl_is("00 6900 7600 07", "05000000"), "an inline function");
}

static void tl_activities(void)
{
	TRACELOGGING_DEFINE_PROVIDER_STORAGE(storage, "Own", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));

	tl_plain_activity();
	tl_thread_activity();
	tl_forget();
	tl_named();
	ok(tl_is("00 746c5f6e616d656400", "") && tl_caught.desc.Opcode == 2 &&
	   tl_caught.desc.Level == 2 && tl_caught.desc.Keyword == 4, "a function's stop");
	tl_template(1, "00 6500 7600 07", "01000000");
	tl_template("x", "00 6500 7600 02", "7800");
	tl_template(2.0f, "00 6500 7600 0b", "00000040");
	tl_inline(5);
	auto lambda = [](auto value) {
		tl_forget();
		TraceLoggingWrite(tl_provider, "l", TraceLoggingValue(value, "v"));
	};
	lambda('x');
	ok(tl_is("00 6c00 7600 84 02", "78"), "a lambda");
	is(TraceLoggingRegister(&storage), S_OK, "a provider within a function");
	tl_forget();
	TraceLoggingWrite(&storage, "e");
	ok(tl_is("00 6500", "") &&
	   tl_same("traits", tl_caught.traits, tl_caught.traits_size, "0600 4f776e00"),
	   "its event");
	TraceLoggingUnregister(&storage);
}
