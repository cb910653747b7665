/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * TraceLoggingActivity.h - TraceLogging: events that belong to an activity; C++
 *
 *	TraceLoggingActivity<provider> activity;
 *
 *	TraceLoggingWriteStart(activity, "Copy", TraceLoggingString(path, "Path"));
 *	TraceLoggingWriteTagged(activity, "Progress", TraceLoggingUInt32(percent));
 *	TraceLoggingWriteStop(activity, "Copy", TraceLoggingUInt32(error));
 *
 * The start creates an activity id if any session has enabled the provider; all events
 * up to the stop have this id.  The start event has opcode 1 and the parent's id, if any, as
 * related id; the stop event has opcode 2.  Both have the keyword and level of the
 * activity's type.  An activity destroyed between start and stop writes a stop event
 * named "ActivityStoppedAutomatically".
 *
 *	TraceLoggingActivity<provider[, keyword[, level]]>
 *		SetRelatedActivity() or SetRelatedActivityId() sets its parent.
 *		Any thread may write its events
 *	TraceLoggingThreadActivity<provider[, keyword[, level]]>
 *		from start to stop its id is also the thread's id, so that all other events
 *		of the thread belong to it.  The thread's previous id is its parent.  Start
 *		and stop in the same thread, properly nested
 *	TraceLoggingThreadActivityIdSetter
 *		sets the thread's id until the object is destroyed
 *	TraceLoggingFunction(provider[, argument...])
 *		a thread activity with the function's name, from here to the end of the block
 *
 * An activity can be moved but not copied.  Only one thread at a time may start, stop or
 * move it.  It starts once, and keeps its id after the stop.
 *
 * In C: EventActivityIdControl() and TraceLoggingWriteActivity() with TraceLoggingOpcode().
 *
 * Semantics: Microsoft's pages "TraceLoggingActivity class", "TraceLoggingThreadActivity
 * class", "TraceLoggingWriteStart macro" and those of the others by their names.
 */
#ifndef ETW_TRACELOGGINGACTIVITY_H
#define ETW_TRACELOGGINGACTIVITY_H

#include <TraceLoggingProvider.h>

#ifdef __cplusplus

extern "C++" {

#include <type_traits>

/* Base class of all activities */
class etw_tl_activity {
public:
	/* Zero before the start, and if no session had enabled the provider at the start. */
	const GUID *Id() const { return &m_id; }
	bool IsStarted() const { return m_state == started; }

	/* For the macros below.  NULL: no parent */
	const GUID *etw_tl_parent() const
	{
		static constexpr GUID none = { 0, 0, 0, { 0, 0, 0, 0, 0, 0, 0, 0 } };

		return memcmp(&m_parent, &none, sizeof(none)) ? &m_parent : NULL;
	}

	/* Restores the thread's id from before the start. */
	void etw_tl_stop()
	{
		m_state = stopped;
		if (m_is_thread)
			EventActivityIdControl(EVENT_ACTIVITY_CTRL_SET_ID, &m_parent);
		m_is_thread = false;
	}

protected:
	etw_tl_activity() : m_id(), m_parent() { }
	etw_tl_activity(etw_tl_activity &&from) { take(from); }

	/* Replaces this activity; from is stopped without an event. */
	void take(etw_tl_activity &from)
	{
		m_id = from.m_id;
		m_parent = from.m_parent;
		m_state = from.m_state;
		m_is_thread = from.m_is_thread;
		from.m_state = stopped;
		from.m_is_thread = false;
	}

	void set_parent(const GUID &parent) { m_parent = parent; }

	void start(TraceLoggingHProvider provider, bool thread)
	{
		if (m_state != created)
			return;
		m_state = started;
		if (!TraceLoggingProviderEnabled(provider, 0, 0))
			return;
		EventActivityIdControl(EVENT_ACTIVITY_CTRL_CREATE_ID, &m_id);
		if (!thread)
			return;
		m_parent = m_id;
		EventActivityIdControl(EVENT_ACTIVITY_CTRL_GET_SET_ID, &m_parent);
		m_is_thread = true;
	}

private:
	etw_tl_activity(const etw_tl_activity &);
	etw_tl_activity &operator=(const etw_tl_activity &);

	enum { created, started, stopped };

	GUID m_id;
	GUID m_parent;
	int m_state = created;
	bool m_is_thread = false;	/* m_id is the thread's id, which was m_parent before */
};

#define ETW_TL_OF(activity)	std::remove_reference<decltype(activity)>::type

/* The arguments must not include level, keyword or opcode. */
#define TraceLoggingWriteStart(activity, ...)					\
	do {									\
		auto &etw_tl_activity_ = (activity);				\
										\
		etw_tl_activity_.etw_tl_start();				\
		ETW_TL_DO(etw_tl_activity_.Provider(), ETW_TL_OF(activity)::Level,	\
			  ETW_TL_OF(activity)::Keyword, 1,			\
			  (ETW_TL_SEND, etw_tl_activity_.Id(),			\
			   etw_tl_activity_.etw_tl_parent()),			\
			  ETW_TL_FIRST(__VA_ARGS__), __VA_ARGS__);		\
	} while (0)
#define TraceLoggingWriteStop(activity, ...)					\
	do {									\
		auto &etw_tl_activity_ = (activity);				\
										\
		etw_tl_activity_.etw_tl_stop();					\
		ETW_TL_DO(etw_tl_activity_.Provider(), ETW_TL_OF(activity)::Level,	\
			  ETW_TL_OF(activity)::Keyword, 2,			\
			  (ETW_TL_SEND, etw_tl_activity_.Id(), NULL),		\
			  ETW_TL_FIRST(__VA_ARGS__), __VA_ARGS__);		\
	} while (0)

/* The arguments may include level and keyword. */
#define TraceLoggingWriteTagged(activity, ...)					\
	do {									\
		const auto &etw_tl_activity_ = (activity);			\
										\
		ETW_TL_DO(etw_tl_activity_.Provider(), 5, 0, 0,			\
			  (ETW_TL_SEND, etw_tl_activity_.Id(), NULL),		\
			  ETW_TL_FIRST(__VA_ARGS__), __VA_ARGS__);		\
	} while (0)
#define TraceLoggingWriteTaggedIfStarted(activity, ...)				\
	do {									\
		const auto &etw_tl_started_ = (activity);			\
										\
		if (etw_tl_started_.IsStarted())				\
			TraceLoggingWriteTagged(etw_tl_started_, __VA_ARGS__);	\
	} while (0)

/* Keyword, level, provider, and the automatic stop event */
template <TraceLoggingHProvider const &provider, UINT64 keyword, UINT8 level>
class etw_tl_activity_of : public etw_tl_activity {
public:
	static constexpr UINT64 Keyword = keyword;
	static constexpr UINT8 Level = level;

	TraceLoggingHProvider Provider() const { return provider; }

protected:
	etw_tl_activity_of() { }
	etw_tl_activity_of(etw_tl_activity_of &&from)
		: etw_tl_activity(static_cast<etw_tl_activity &&>(from)) { }
	~etw_tl_activity_of() { end(); }

	etw_tl_activity_of &operator=(etw_tl_activity_of &&from)
	{
		if (this != &from) {
			end();
			take(from);
		}
		return *this;
	}

private:
	void end()
	{
		if (IsStarted())
			TraceLoggingWriteStop(*this, "ActivityStoppedAutomatically");
	}
};

template <TraceLoggingHProvider const &provider, UINT64 keyword = 0, UINT8 level = 5>
class TraceLoggingActivity : public etw_tl_activity_of<provider, keyword, level> {
public:
	/* Call before the start; a zero id means no parent. */
	void SetRelatedActivityId(const GUID &id) { this->set_parent(id); }
	void SetRelatedActivityId(const GUID *id) { this->set_parent(*id); }
	template <typename Activity> void SetRelatedActivity(const Activity &activity)
	{
		this->set_parent(*activity.Id());
	}

	void etw_tl_start() { this->start(provider, false); }
};

template <TraceLoggingHProvider const &provider, UINT64 keyword = 0, UINT8 level = 5>
class TraceLoggingThreadActivity : public etw_tl_activity_of<provider, keyword, level> {
public:
	void etw_tl_start() { this->start(provider, true); }
};

class TraceLoggingThreadActivityIdSetter {
public:
	explicit TraceLoggingThreadActivityIdSetter(const GUID &id) : m_id(id) { swap(); }
	explicit TraceLoggingThreadActivityIdSetter(const GUID *id) : m_id(*id) { swap(); }
	~TraceLoggingThreadActivityIdSetter() { swap(); }

private:
	void swap() { EventActivityIdControl(EVENT_ACTIVITY_CTRL_GET_SET_ID, &m_id); }
	TraceLoggingThreadActivityIdSetter(const TraceLoggingThreadActivityIdSetter &);
	TraceLoggingThreadActivityIdSetter &operator=(const TraceLoggingThreadActivityIdSetter &);

	GUID m_id;
};

/* The object of TraceLoggingFunction(), with descriptor and metadata of the stop event */
class etw_tl_function : public etw_tl_activity {
public:
	explicit etw_tl_function(TraceLoggingHProvider provider) : m_provider(provider)
	{
		start(provider, true);
	}

	~etw_tl_function()
	{
		etw_tl_stop();
		if (!etw_tl_wants(m_provider, m_desc->Level, m_desc->Keyword))
			return;

		etw_tl_piece pieces[] = {
			etw_tl_typed(m_provider->traits, m_provider->traits_size,
				     ETW_DATA_PROVIDER_METADATA),
			etw_tl_typed(m_metadata, m_size, ETW_DATA_EVENT_METADATA),
		};
		TLG_EVENT_WRITE_TRANSFER(m_provider->RegHandle, m_desc, Id(), NULL, 2, pieces);
	}

	void etw_tl_stop_is(const EVENT_DESCRIPTOR *desc, const void *metadata, ULONG size)
	{
		m_desc = desc;
		m_metadata = metadata;
		m_size = size;
	}

private:
	TraceLoggingHProvider m_provider;
	const EVENT_DESCRIPTOR *m_desc = NULL;
	const void *m_metadata = NULL;
	ULONG m_size = 0;
};

/*
 * A declaration.  Both events have the name of the function and the level and keyword of
 * the arguments; the start event also has their fields.
 */
#define TraceLoggingFunction(...)						\
	ETW_TL_FUNCTION(ETW_TL_FIRST(__VA_ARGS__),				\
			(5 ETW_TL_EACH(LEVEL, __VA_ARGS__)),			\
			((__u64)0 ETW_TL_EACH(KEYWORD, __VA_ARGS__)), __VA_ARGS__)
#define ETW_TL_FUNCTION(handle, level0, keyword0, ...)				\
	enum { etw_tl_function_size = sizeof(__func__) };			\
	etw_tl_function etw_tl_this_function(handle);				\
	do {									\
		ETW_TL_STATIC((etw_tl_chars<etw_tl_function_size> etw_tl_text_), level0,	\
			      keyword0, 2, __func__, handle);			\
		etw_tl_this_function.etw_tl_stop_is(&etw_tl_desc, &etw_tl_event.etw_tl_size_,	\
						    sizeof(etw_tl_event) - ETW_TL_EVENT_HEAD);	\
	} while (0);								\
	ETW_TL_DO_AS((etw_tl_chars<etw_tl_function_size> etw_tl_text_), handle, 5, 0, 1,	\
		     (ETW_TL_SEND, etw_tl_this_function.Id(),			\
		      etw_tl_this_function.etw_tl_parent()), __func__, __VA_ARGS__)

}

#endif /* C++ */

#endif /* ETW_TRACELOGGINGACTIVITY_H */
