/* SPDX-License-Identifier: MIT */
/*
 * schema.c - the elements of a manifest and their attributes
 *
 * Attributes are checked, and written, in the order that they have here; the one that
 * names the element in problems comes first.
 */
#include "manifest.h"

#define COUNT(list)	(sizeof(list) / sizeof((list)[0]))

/* ------------------------------------------------------------------- attributes */

#define MEMBER(of, member) \
	.offset = offsetof(struct etw_mf_##of, member), \
	.size = sizeof(((struct etw_mf_##of *)NULL)->member)
#define ATTRIBUTE(attribute, kind, of, member) \
	{ .name = attribute, .type = MANIFEST_##kind, MEMBER(of, member) }
#define REQUIRED(attribute, kind, of, member) \
	{ .name = attribute, .type = MANIFEST_##kind, .required = true, MEMBER(of, member) }
/* A title that the decoder can do without, and a name to refer to the element by */
#define TITLE(attribute, of, member) \
	{ .name = attribute, .type = MANIFEST_NAME, .required = true, .title = true, \
	  MEMBER(of, member) }
#define NAME(attribute, of, member) \
	{ .name = attribute, .type = MANIFEST_NAME, .required = true, .title = true, \
	  .needed = true, MEMBER(of, member) }
#define NUMBER(attribute, of, member, from, to, ...) \
	{ .name = attribute, .type = MANIFEST_NUMBER, MEMBER(of, member), .least = from, \
	  .most = to, __VA_ARGS__ }
#define VALUE(attribute, kind, of, member, from, to, ...) \
	{ .name = attribute, .type = MANIFEST_##kind, .required = true, .needed = true, \
	  MEMBER(of, member), .least = from, .most = to, __VA_ARGS__ }
/* The decoder takes any value that an event can have. */
#define WIDE(to)		.widest = to
#define CHOICE(attribute, kind, of, member, list) \
	{ .name = attribute, .type = MANIFEST_##kind, MEMBER(of, member), .choices = list }
#define REFERENCE(attribute, kind, of, member, to, named) \
	{ .name = attribute, .type = MANIFEST_##kind, MEMBER(of, member), \
	  .most = offsetof(struct etw_mf_##to, named) }
/* Checked, or read by the element's own code, or of no use */
#define OTHER(attribute, kind)	{ .name = attribute, .type = MANIFEST_##kind }
#define SYMBOL(of)		ATTRIBUTE("symbol", SYMBOL, of, symbol)
#define MESSAGE(of)		ATTRIBUTE("message", MESSAGE, of, message)

static const char *const sources[] = { "Xml", "Wbem", "WPP", NULL };
static const char *const channel_types[] = { "Admin", "Operational", "Analytic", "Debug", NULL };
static const char *const isolations[] = { "Application", "System", "Custom", NULL };
static const char *const clocks[] = { "SystemTime", "QPC", NULL };
static const char *const sid_types[] = { "None", "Publishing", NULL };

static const struct manifest_attribute resources_attributes[] = {
	TITLE("culture", string, id),
};

static const struct manifest_attribute string_attributes[] = {
	NAME("id", string, id),
	REQUIRED("value", RAW, string, value),
};

static const struct manifest_attribute message_attributes[] = {
	{ .name = "mid", .type = MANIFEST_TEXT, .title = true, MEMBER(entry, mid) },
	{ .name = "symbol", .type = MANIFEST_SYMBOL, .title = true, MEMBER(entry, symbol) },
	VALUE("value", NUMBER, entry, value, 0, UINT32_MAX),
	REQUIRED("message", MESSAGE, entry, message),
};

static const struct manifest_attribute provider_attributes[] = {
	TITLE("name", provider, name),
	VALUE("guid", GUID, provider, guid, 1, 0),
	{ .name = "controlGuid", .type = MANIFEST_GUID, MEMBER(provider, control_guid), .least = 1 },
	REQUIRED("symbol", SYMBOL, provider, symbol),
	ATTRIBUTE("resourceFileName", TEXT, provider, resource_file),
	ATTRIBUTE("messageFileName", TEXT, provider, message_file),
	ATTRIBUTE("parameterFileName", TEXT, provider, parameter_file),
	ATTRIBUTE("helpLink", TEXT, provider, help_link),
	ATTRIBUTE("namespace", TEXT, provider, namespace_name),
	CHOICE("source", TEXT, provider, source, sources),
	MESSAGE(provider),
	OTHER("warnOnApplicationCompatibilityError", BOOL),
};

static const struct manifest_attribute traits_attributes[] = {
	ATTRIBUTE("groupGuid", GUID, provider, group_guid),
	ATTRIBUTE("includeName", BOOL, provider, include_name),
};

static const struct manifest_attribute channel_attributes[] = {
	NAME("name", channel, name),
	ATTRIBUTE("chid", TEXT, channel, id),
	SYMBOL(channel),
	{ .name = "type", .type = MANIFEST_CHOICE, .required = true, MEMBER(channel, type),
	  .choices = channel_types },
	CHOICE("isolation", CHOICE, channel, isolation, isolations),
	ATTRIBUTE("enabled", BOOL, channel, enabled),
	ATTRIBUTE("access", TEXT, channel, access),
	NUMBER("value", channel, value, MANIFEST_CHANNEL_FIRST, UINT8_MAX, WIDE(UINT8_MAX)),
	MESSAGE(channel),
	/* wevtutil's: the value, and 1 for imported ones */
	NUMBER("id", channel, value, 0, UINT8_MAX, .dumped = true),
	NUMBER("flags", channel, imported, 0, 1, .dumped = true),
};

static const struct manifest_attribute import_attributes[] = {
	NAME("name", channel, name),
	ATTRIBUTE("chid", TEXT, channel, id),
	SYMBOL(channel),
};

/* Values below the least ones, and opcodes above 239, are reserved for Windows. */
static const struct manifest_attribute level_attributes[] = {
	NAME("name", named, name),
	SYMBOL(named),
	VALUE("value", NUMBER, named, value, 16, UINT8_MAX, WIDE(UINT8_MAX)),
	MESSAGE(named),
};

/* Attributes for MOF are ignored. */
static const struct manifest_attribute opcode_attributes[] = {
	NAME("name", named, name),
	SYMBOL(named),
	VALUE("value", NUMBER, named, value, 10, 239, WIDE(UINT8_MAX)),
	MESSAGE(named),
	OTHER("mofValue", IGNORED),
};

static const struct manifest_attribute task_attributes[] = {
	NAME("name", task, name),
	SYMBOL(task),
	VALUE("value", NUMBER, task, value, 0, UINT16_MAX),
	ATTRIBUTE("eventGUID", GUID, task, event_guid),
	MESSAGE(task),
};

static const struct manifest_attribute keyword_attributes[] = {
	NAME("name", named, name),
	SYMBOL(named),
	VALUE("mask", BIT, named, value, 1, 1ull << 47, WIDE(UINT64_MAX)),
	MESSAGE(named),
};

static const struct manifest_attribute map_attributes[] = {
	NAME("name", map, name),
	SYMBOL(map),
	OTHER("format", IGNORED),
};

static const struct manifest_attribute pattern_map_attributes[] = {
	NAME("name", map, name),
	SYMBOL(map),
	ATTRIBUTE("format", RAW, map, format),
};

static const struct manifest_attribute value_attributes[] = {
	SYMBOL(map_entry),
	VALUE("value", NUMBER, map_entry, value, 0, UINT32_MAX),
	REQUIRED("message", MESSAGE, map_entry, message),
	OTHER("name", IGNORED),
};

static const struct manifest_attribute bit_attributes[] = {
	SYMBOL(map_entry),
	VALUE("value", BIT, map_entry, value, 0, 1u << 31, WIDE(UINT32_MAX)),
	REQUIRED("message", MESSAGE, map_entry, message),
	OTHER("name", IGNORED),
};

static const struct manifest_attribute pattern_attributes[] = {
	SYMBOL(map_entry),
	REQUIRED("name", RAW, map_entry, name),
	REQUIRED("value", RAW, map_entry, text),
	OTHER("message", IGNORED),
};

static const struct manifest_attribute template_attributes[] = {
	NAME("tid", template, id),
	ATTRIBUTE("name", TEXT, template, name),
};

static const struct manifest_attribute user_data_attributes[] = {
	ATTRIBUTE("UserData", RAW, template, user_data),
};

static const struct manifest_attribute data_attributes[] = {
	TITLE("name", field, name),
	{ .name = "inType", .type = MANIFEST_NAMES, .required = true, .needed = true },
	OTHER("outType", NAMES),
	OTHER("count", REFERENCE),
	OTHER("length", REFERENCE),
	REFERENCE("map", REFERENCE, field, map, map, name),
	NUMBER("tags", field, tags, 0, (1u << 28) - 1, WIDE(UINT32_MAX)),
};

static const struct manifest_attribute struct_attributes[] = {
	TITLE("name", field, name),
	OTHER("count", REFERENCE),
};

static const struct manifest_attribute event_attributes[] = {
	{ .name = "symbol", .type = MANIFEST_SYMBOL, .title = true, MEMBER(event, symbol) },
	VALUE("value", NUMBER, event, desc.Id, 0, UINT16_MAX),
	NUMBER("version", event, desc.Version, 0, UINT8_MAX, .needed = true),
	ATTRIBUTE("name", TEXT, event, name),
	ATTRIBUTE("attributes", TEXT, event, attributes),
	REFERENCE("level", NAMES, event, level, named, name),
	REFERENCE("channel", REFERENCE, event, channel, channel, id),
	REFERENCE("task", NAMES, event, task, task, name),
	REFERENCE("opcode", NAMES, event, opcode, named, name),
	OTHER("keywords", NAMES),
	REFERENCE("template", REFERENCE, event, template, template, id),
	ATTRIBUTE("notLogged", BOOL, event, not_logged),
	ATTRIBUTE("message", EVENT_MESSAGE, event, message),
	OTHER("suppressProjection", BOOL),
};

static const struct manifest_attribute filter_attributes[] = {
	NAME("name", filter, name),
	SYMBOL(filter),
	VALUE("value", NUMBER, filter, value, 0, UINT8_MAX),
	NUMBER("version", filter, version, 0, UINT8_MAX, .needed = true),
	REFERENCE("tid", REFERENCE, filter, template, template, id),
	MESSAGE(filter),
};

/* --------------------------------------------------------------------- elements */

#define ELEMENT(tag, in, of, its_attributes) \
	.name = tag, .list = MANIFEST_##in, .attributes = its_attributes, \
	.attribute_count = COUNT(its_attributes), .line = offsetof(struct etw_mf_##of, line)
#define CHILDREN(...)	.children = (const struct manifest_element *const[]){ __VA_ARGS__, NULL }
/* A section without attributes, or with attributes that nobody reads */
#define SECTION(tag, ...) \
	&(const struct manifest_element){ .name = tag, CHILDREN(__VA_ARGS__) }
#define FREE_SECTION(tag, ...) \
	&(const struct manifest_element){ .name = tag, .any_attributes = true, \
		CHILDREN(__VA_ARGS__) }

/*
 * How a channel logs and publishes concerns only Windows' event log: it is checked but
 * not kept.
 */
#define SETTING(tag, ...) \
	&(const struct manifest_element){ \
		.name = tag, .list = MANIFEST_SETTINGS, .text = true, .attribute_count = 1, \
		.attributes = &(const struct manifest_attribute){ .name = tag, __VA_ARGS__ } }
#define COUNTER(tag)	SETTING(tag, .type = MANIFEST_NUMBER, .most = UINT64_MAX)

const struct manifest_element etw_element_channel = {
	ELEMENT("channel", CHANNELS, channel, channel_attributes),
	CHILDREN(SECTION("logging",
			 SETTING("autoBackup", .type = MANIFEST_BOOL),
			 SETTING("retention", .type = MANIFEST_BOOL), COUNTER("maxSize")),
		 SECTION("publishing",
			 COUNTER("bufferSize"),
			 SETTING("clockType", .type = MANIFEST_CHOICE, .choices = clocks),
			 SETTING("controlGuid", .type = MANIFEST_GUID), COUNTER("fileMax"),
			 COUNTER("keywords"), COUNTER("latency"), COUNTER("level"),
			 COUNTER("minBuffers"), COUNTER("maxBuffers"),
			 SETTING("sidType", .type = MANIFEST_CHOICE, .choices = sid_types))),
};

const struct manifest_element etw_element_import = {
	ELEMENT("importChannel", CHANNELS, channel, import_attributes),
};

const struct manifest_element etw_element_level = { ELEMENT("level", LEVELS, named, level_attributes) };

const struct manifest_element etw_element_opcode = {
	ELEMENT("opcode", OPCODES, named, opcode_attributes),
};

static const struct manifest_element opcodes = {
	.name = "opcodes", CHILDREN(&etw_element_opcode),
};

const struct manifest_element etw_element_task = {
	ELEMENT("task", TASKS, task, task_attributes), CHILDREN(&opcodes),
};

const struct manifest_element etw_element_keyword = {
	ELEMENT("keyword", KEYWORDS, named, keyword_attributes),
};

static const struct manifest_element value_entry = { ELEMENT("map", ENTRIES, map_entry, value_attributes) };
static const struct manifest_element bit_entry = { ELEMENT("map", ENTRIES, map_entry, bit_attributes) };
static const struct manifest_element pattern_entry = { ELEMENT("map", ENTRIES, map_entry, pattern_attributes) };

const struct manifest_element etw_element_maps[] = {
	[ETW_MAP_VALUE] = { ELEMENT("valueMap", MAPS, map, map_attributes),
			    CHILDREN(&value_entry) },
	[ETW_MAP_BITS] = { ELEMENT("bitMap", MAPS, map, map_attributes), CHILDREN(&bit_entry) },
	[ETW_MAP_PATTERN] = { ELEMENT("patternMap", MAPS, map, pattern_map_attributes),
			      CHILDREN(&pattern_entry) },
};

static const struct manifest_element data = { ELEMENT("data", FIELDS, field, data_attributes) };

/* Structures in a structure, and binary: known only to be refused */
static const struct manifest_element nested = {
	.name = "struct", .list = MANIFEST_FIELDS, .any_attributes = true, .any_children = true,
};

static const struct manifest_element binary = {
	.name = "binary", .list = MANIFEST_FIELDS, .any_attributes = true, .any_children = true,
};

const struct manifest_element etw_element_struct = {
	ELEMENT("struct", FIELDS, field, struct_attributes), CHILDREN(&data, &nested),
};

static const struct manifest_element user_data = {
	ELEMENT("UserData", USER_DATA, template, user_data_attributes), .any_attributes = true, .xml = true,
};

const struct manifest_element etw_element_template = {
	ELEMENT("template", TEMPLATES, template, template_attributes),
	CHILDREN(&data, &etw_element_struct, &binary, &user_data),
};

const struct manifest_element etw_element_event = { ELEMENT("event", EVENTS, event, event_attributes) };

const struct manifest_element etw_element_filter = {
	ELEMENT("filter", FILTERS, filter, filter_attributes),
};

const struct manifest_element etw_element_traits = {
	ELEMENT("traits", TRAITS, provider, traits_attributes),
};

const struct manifest_element etw_element_provider = {
	ELEMENT("provider", PROVIDERS, provider, provider_attributes),
	CHILDREN(&etw_element_traits, SECTION("channels", &etw_element_channel, &etw_element_import),
		 SECTION("levels", &etw_element_level), SECTION("tasks", &etw_element_task), &opcodes,
		 SECTION("keywords", &etw_element_keyword),
		 SECTION("maps", &etw_element_maps[ETW_MAP_VALUE], &etw_element_maps[ETW_MAP_BITS],
			 &etw_element_maps[ETW_MAP_PATTERN]),
		 &etw_element_maps[ETW_MAP_VALUE], &etw_element_maps[ETW_MAP_BITS],
		 SECTION("namedQueries", &etw_element_maps[ETW_MAP_PATTERN]),
		 SECTION("templates", &etw_element_template),
		 SECTION("events", &etw_element_event), SECTION("filters", &etw_element_filter)),
};

/* ---------------------------------------------------------------------- the roots */

const struct manifest_element etw_element_string = {
	ELEMENT("string", STRINGS, string, string_attributes),
};

static const struct manifest_element resources = {
	ELEMENT("resources", RESOURCES, string, resources_attributes),
	CHILDREN(SECTION("stringTable", &etw_element_string)),
};

static const struct manifest_element localization = {
	.name = "localization", .any_attributes = true, CHILDREN(&resources),
};

static const struct manifest_element message = { ELEMENT("message", TABLE, entry, message_attributes) };

static const struct manifest_element events = {
	.name = "events", .any_attributes = true,
	CHILDREN(&etw_element_provider, SECTION("messageTable", &message)),
};

static const struct manifest_element instrumentation = {
	.name = "instrumentation", .any_attributes = true,
	CHILDREN(&events, &localization),
};

/* The element of Windows' own winmeta.xml; it defines no events. */
static const struct manifest_element metadata = {
	.name = "metadata", .any_attributes = true, .any_children = true,
};

static const struct manifest_element assembly = {
	.name = "assembly", .any_attributes = true, .any_children = true,
	CHILDREN(&instrumentation, &localization),
};

/* Windows' own exports begin with a provider. */
const struct manifest_element etw_element_fragment = {
	.name = "document", CHILDREN(&events, &etw_element_provider),
};

const struct manifest_element etw_element_document = {
	.name = "document",
	CHILDREN(FREE_SECTION("instrumentationManifest", &instrumentation, &localization, &metadata),
		 &instrumentation, &assembly),
};
