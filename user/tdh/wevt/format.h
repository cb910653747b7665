/* SPDX-License-Identifier: MIT */
/*
 * format.h - numbers of the WEVT_TEMPLATE resource; see docs/wevt.md
 */
#ifndef ETW_TDH_WEVT_FORMAT_H
#define ETW_TDH_WEVT_FORMAT_H

/* The lists of a provider */
enum etw_wevt_list {
	ETW_WEVT_LEVELS = 0,			/* LEVL */
	ETW_WEVT_TASKS = 1,			/* TASK */
	ETW_WEVT_OPCODES = 2,			/* OPCO */
	ETW_WEVT_KEYWORDS = 3,			/* KEYW */
	ETW_WEVT_EVENTS = 4,			/* EVNT */
	ETW_WEVT_CHANNELS = 5,			/* CHAN */
	ETW_WEVT_MAPS = 6,			/* MAPS of VMAP and BMAP */
	ETW_WEVT_TEMPLATES = 7,			/* TTBL of TEMP */
	ETW_WEVT_PATTERNS = 8,			/* QTAB of QUER */
	ETW_WEVT_FILTERS = 9,			/* FLTR */
	ETW_WEVT_EVENT_ATTRIBUTES = 12,		/* EVTA */
	ETW_WEVT_PROVIDER_ATTRIBUTES = 13,	/* PRVA */
	ETW_WEVT_LISTS = 14,
};

#define ETW_WEVT_SLOTS_3	11	/* version 3 always has this many slots */

/* Flags of a channel */
#define ETW_WEVT_IMPORTED	1

/* Flags of a map */
#define ETW_WEVT_BITS		1

/* Flags of a template */
#define ETW_WEVT_EVENT_DATA	1
#define ETW_WEVT_USER_DATA	2

/* Flags of a property */
#define ETW_WEVT_STRUCT		0x01
#define ETW_WEVT_LENGTH_FIXED	0x02
#define ETW_WEVT_LENGTH_FIELD	0x04
#define ETW_WEVT_COUNT_FIXED	0x08
#define ETW_WEVT_COUNT_FIELD	0x10

/* Attributes of a provider */
#define ETW_WEVT_PROVIDER_NAME	0x10000001u	/* text, NUL */
#define ETW_WEVT_CONTROL_GUID	0x20000001u
#define ETW_WEVT_GROUP_GUID	0x20000002u

/* Attributes of an event */
#define ETW_WEVT_EVENT_NAME	0x11
#define ETW_WEVT_EVENT_ATTRIBUTE	0x12	/* "name=value" */

/* Sizes of entries */
#define ETW_WEVT_CHANNEL_SIZE	16
#define ETW_WEVT_OPCODE_SIZE	12
#define ETW_WEVT_LEVEL_SIZE	12
#define ETW_WEVT_TASK_SIZE	28
#define ETW_WEVT_KEYWORD_SIZE	16
#define ETW_WEVT_MAP_SIZE	20
#define ETW_WEVT_MAP_ENTRY_SIZE	8
#define ETW_WEVT_TEMPLATE_SIZE	40
#define ETW_WEVT_PROPERTY_SIZE	20
#define ETW_WEVT_EVENT_SIZE	48
#define ETW_WEVT_FILTER_SIZE	16
#define ETW_WEVT_ATTRIBUTE_SIZE	8

/* Tokens of binary XML ([MS-EVEN6] 2.2.12) that templates use */
#define ETW_BINXML_END		0x00	/* end of the fragment */
#define ETW_BINXML_OPEN		0x01	/* element; | MORE: has attributes */
#define ETW_BINXML_CLOSE_START	0x02
#define ETW_BINXML_CLOSE_EMPTY	0x03
#define ETW_BINXML_END_ELEMENT	0x04
#define ETW_BINXML_TEXT		0x05
#define ETW_BINXML_ATTRIBUTE	0x06	/* | MORE: another follows */
#define ETW_BINXML_SUBSTITUTION	0x0d
#define ETW_BINXML_OPTIONAL	0x0e	/* substitution */
#define ETW_BINXML_FRAGMENT	0x0f	/* header: major 1, minor 1, flags 0 */
#define ETW_BINXML_MORE		0x40

#define ETW_BINXML_STRING	0x01	/* value types: those of TDH_INTYPE_ */
#define ETW_BINXML_BINARY	0x0e
#define ETW_BINXML_ARRAY	0x80

#endif /* ETW_TDH_WEVT_FORMAT_H */
