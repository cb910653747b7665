/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * manifest_fields.c - each rule about templates and their fields, broken alone; valid
 * combinations of types
 */
#include "manifest.h"

#define EVENT	"<events><event value='1'/></events>"
#define T(fields)	"<templates><template tid='T1'>\n" fields "</template></templates>" EVENT
#define MAPS \
	"<maps><valueMap name='v'><map value='1' message='m'/></valueMap></maps>" \
	"<namedQueries><patternMap name='p'><map name='a' value='b'/></patternMap></namedQueries>"

static const struct rule templates[] = {
	{ T("<data name='Arg Name 1' inType='win:UInt32'/><struct name='s' count='2'>"
	    "<data name='m' inType='win:UInt8'/><data name='n' inType='win:Int8' count='m'/>"
	    "</struct><UserData><E>%1 %2</E></UserData>"), 0, NULL },
	{ T(""), 0, NULL },
	{ "<templates>\n<template/></templates>", 5, "template: attribute tid is missing" },
	{ "<templates><template tid='T1'/>\n<template tid='T1'/></templates>",
	  5, "template \"T1\": another template has this tid, too" },
	{ T("<data inType='win:UInt8'/>"), 5, "data: attribute name is missing" },
	{ T("<data name='d'/>"), 5, "data \"d\": attribute inType is missing" },
	{ T("<data name='d' inType='win:Wrong'/>"),
	  5, "data \"d\": inType \"win:Wrong\" is not a known type" },
	{ T("<data name='d' inType='UInt8'/>"),
	  5, "data \"d\": inType \"UInt8\" is not a known type" },
	{ T("<data name='d' inType='trace:Thing'/>"),
	  5, "data \"d\": inType \"trace:Thing\": types of the trace namespace are Windows' own and not supported" },
	{ T("<data name='d' inType='win:UInt8' outType='xs:wrong'/>"),
	  5, "data \"d\": outType \"xs:wrong\" is not a known type" },
	{ T("<data name='d' inType='win:UInt8' outType='xs:int'/>"),
	  5, "data \"d\": outType \"xs:int\" does not go with inType UInt8" },
	{ T("<data name='d' inType='win:UInt8' tags='0x10000000'/>"),
	  5, "data \"d\": tags \"0x10000000\" must be a number from 0 to 268435455" },
	{ T("<data name='d' inType='win:UInt8'/><data name='d' inType='win:UInt8'/>"),
	  5, "template \"T1\": field \"d\": another field has this name, too" },
	{ T("<struct name='s'/>"), 5, "struct \"s\": has no element data" },
	{ T("<struct><data name='d' inType='win:UInt8'/></struct>"),
	  5, "struct: attribute name is missing" },
	{ T("<struct name='s'><data name='d' inType='win:UInt8'/>\n<struct name='t'><data/>"
	    "</struct></struct>"),
	  6, "struct \"s\": must not have a struct in it" },
	{ T("<binary name='b'/>"),
	  5, "template \"T1\": element binary is not supported: take data with inType win:Binary" },
	{ T("<UserData/>\n<UserData><a>\n<b/></a></UserData>"), 6, "template \"T1\": has a second element UserData" },
	{ "<templates>\n<template tid='T1'><data name='d' inType='win:UInt8'/><UserData><a>%2</a>"
	  "</UserData></template></templates>",
	  5, "template \"T1\": UserData has %2, and the template 1 fields" },
};

static const struct rule lengths[] = {
	{ T("<data name='L' inType='win:UInt32'/><data name='a' inType='win:AnsiString' length='L'/>"
	    "<data name='b' inType='win:Binary' length='0xEA60'/>"
	    "<data name='c' inType='win:Binary' outType='win:IPv6'/>"
	    "<data name='e' inType='win:Binary' outType='win:IPv6' length='16'/>"
	    "<data name='f' inType='win:UnicodeString' length='0' count='0'/>"
	    "<data name='g' inType='win:SID' length='12'/>"
	    "<data name='1st' inType='win:UInt8' count='0'/><data name='h' inType='win:UInt8' count='1st'/>"
	    "<struct name='s' count='L'><data name='L' inType='win:Int8'/>"
	    "<data name='m' inType='win:AnsiString' length='L' count='1st'/></struct>"), 0, NULL },
	{ T("<data name='Len' inType='win:AnsiString' length='L'/>"),
	  5, "template \"T1\": field \"Len\": length must name an earlier integer field, and \"L\" is none" },
	{ T("<data name='a' inType='win:AnsiString' length='L'/><data name='L' inType='win:UInt8'/>"),
	  5, "template \"T1\": field \"a\": length must name an earlier integer field, and \"L\" is none" },
	{ T("<data name='a' inType='win:AnsiString' length='a'/>"),
	  5, "template \"T1\": field \"a\": length must name an earlier integer field, and \"a\" is none" },
	{ T("<data name='L' inType='win:UInt64'/><data name='a' inType='win:AnsiString' length='L'/>"),
	  5, "template \"T1\": field \"a\": length must name an earlier integer field, and \"L\" is no integer" },
	{ T("<data name='L' inType='win:UInt8' count='2'/>"
	    "<data name='a' inType='win:AnsiString' length='L'/>"),
	  5, "template \"T1\": field \"a\": length must name an earlier integer field, and \"L\" is an array" },
	{ T("<data name='L' inType='win:UInt8' count='1'/>"
	    "<data name='a' inType='win:AnsiString' length='L'/>"),
	  5, "template \"T1\": field \"a\": length must name an earlier integer field, and \"L\" is an array" },
	{ T("<struct name='L'><data name='m' inType='win:UInt8'/></struct>"
	    "<data name='a' inType='win:AnsiString' length='L'/>"),
	  5, "template \"T1\": field \"a\": length must name an earlier integer field, and \"L\" is no integer" },
	{ T("<struct name='s'><data name='L' inType='win:UInt8'/></struct>"
	    "<data name='a' inType='win:AnsiString' length='L'/>"),
	  5, "template \"T1\": field \"a\": length must name an earlier integer field, and \"L\" is none" },
	{ T("<struct name='s'><data name='a' inType='win:AnsiString' length='L'/></struct>"
	    "<data name='L' inType='win:UInt8'/>"),
	  5, "template \"T1\": field \"a\": length must name an earlier integer field, and \"L\" is none" },
	{ T("<data name='a' inType='win:AnsiString' length='65536'/>"),
	  5, "template \"T1\": field \"a\": length \"65536\" must be a number from 1 to 65535 or an earlier field's name" },
	{ T("<data name='a' inType='win:UInt32' length='4'/>"),
	  5, "template \"T1\": field \"a\": length does not go with inType UInt32" },
	{ T("<data name='a' inType='win:CountedBinary' length='4'/>"),
	  5, "template \"T1\": field \"a\": length does not go with inType CountedBinary" },
	{ T("<data name='b' inType='win:Binary'/>"),
	  5, "template \"T1\": field \"b\": inType Binary needs a length: without one it is the rest of the event" },
	{ T("<data name='b' inType='win:Binary' length='0'/>"),
	  5, "template \"T1\": field \"b\": inType Binary needs a length: without one it is the rest of the event" },
	{ T("<data name='b' inType='win:Binary' outType='win:IPv6' length='4'/>"),
	  5, "template \"T1\": field \"b\": length of an IPv6 address must be 16" },
	{ T("<data name='c' inType='win:UInt8' count='x y'/>"),
	  5, "template \"T1\": field \"c\": count must name an earlier integer field, and \"x y\" is none" },
	{ T("<data name='c' inType='win:UInt8' count='1x'/>"),
	  5, "template \"T1\": field \"c\": count \"1x\" must be a number from 1 to 65535 or an earlier field's name" },
	{ T("<struct name='s' count='99999'><data name='m' inType='win:UInt8'/></struct>"),
	  5, "template \"T1\": field \"s\": count \"99999\" must be a number from 1 to 65535 or an earlier field's name" },
};

static const struct rule sizes[] = {
	{ T("<data name='a' inType='win:UInt8' count='65535'/>"), 0, NULL },
	{ "<templates>\n<template tid='T1'><data name='a' inType='win:UInt8' count='65535'/>"
	  "<data name='b' inType='win:UInt8'/></template></templates>",
	  5, "template \"T1\": fields of fixed size have 65536 bytes, and an event at most 65535" },
	{ "<templates>\n<template tid='T1'><struct name='s' count='65535'>"
	  "<data name='a' inType='win:UnicodeString' length='65535' count='65535'/></struct>"
	  "</template></templates>",
	  5, "template \"T1\": fields of fixed size have 562924184010750 bytes, and an event at most 65535" },
};

static const struct rule maps[] = {
	{ MAPS T("<data name='a' inType='win:UInt8' map='v'/><data name='b' inType='win:UInt16' map='v'/>"
		 "<data name='c' inType='win:UInt32' map='v'/><data name='d' inType='win:HexInt32' map='v'/>"
		 "<data name='e' inType='win:UnicodeString' map='p'/>"), 0, NULL },
	{ T("<data name='a' inType='win:UInt8' map='v'/>"),
	  5, "template \"T1\": field \"a\": map \"v\" is not defined" },
	{ MAPS T("<data name='a' inType='win:UInt64' map='v'/>"),
	  5, "template \"T1\": field \"a\": map \"v\" does not go with inType UInt64" },
	{ MAPS T("<data name='a' inType='win:UInt8' map='p'/>"),
	  5, "template \"T1\": field \"a\": map \"p\" does not go with inType UInt8" },
};

/* In-types with their out-types, the default first: the table of winmeta.xml */
static const struct {
	const char *in;
	unsigned int in_type;
	unsigned int out_types[12];
} pairs[] = {
	{ "UnicodeString", 1, { 1, 28, 34 } },
	{ "AnsiString", 2, { 1, 28, 34, 35 } },
	{ "Int8", 3, { 3, 1 } },
	{ "UInt8", 4, { 4, 16, 1, 13 } },
	{ "Int16", 5, { 5 } },
	{ "UInt16", 6, { 6, 22, 17, 1 } },
	{ "Int32", 7, { 7, 32 } },
	{ "UInt32", 8, { 8, 20, 21, 23, 27, 29, 30, 31, 18, 37 } },
	{ "Int64", 9, { 9 } },
	{ "UInt64", 10, { 10, 27, 19, 37 } },
	{ "Float", 11, { 11 } },
	{ "Double", 12, { 12 } },
	{ "Boolean", 13, { 13 } },
	{ "Binary", 14, { 15, 24, 25, 36 } },
	{ "GUID", 15, { 14 } },
	{ "Pointer", 16, { 19, 37, 9, 10 } },
	{ "FILETIME", 17, { 2, 33, 38 } },
	{ "SYSTEMTIME", 18, { 2, 33, 38 } },
	{ "SID", 19, { 1 } },
	{ "HexInt32", 20, { 18, 29, 30, 31, 37 } },
	{ "HexInt64", 21, { 19, 37 } },
	{ "CountedUnicodeString", 22, { 1, 28, 34 } },
	{ "CountedAnsiString", 23, { 1, 28, 34, 35 } },
	{ "CountedBinary", 25, { 15, 24, 25, 36 } },
};

static const char *const out_names[] = {
	[1] = "xs:string", "xs:dateTime", "xs:byte", "xs:unsignedByte", "xs:short",
	"xs:unsignedShort", "xs:int", "xs:unsignedInt", "xs:long", "xs:unsignedLong",
	"xs:float", "xs:double", "xs:boolean", "xs:GUID", "xs:hexBinary", "win:HexInt8",
	"win:HexInt16", "win:HexInt32", "win:HexInt64", "win:PID", "win:TID", "win:Port",
	"win:IPv4", "win:IPv6", "win:SocketAddress", "win:CIMDateTime", "win:ETWTIME",
	"win:Xml", "win:ErrorCode", "win:Win32Error", "win:NTSTATUS", "win:HResult",
	"win:DateTimeCultureInsensitive", "win:Json", "win:Utf8", "win:Pkcs7WithTypeInfo",
	"win:CodePointer", "win:DateTimeUtc",
};

/* The field read with these types; NULL: refused */
static const struct etw_mf_field *field_of(const char *in, const char *out)
{
	char text[500];

	snprintf(text, sizeof(text),
		 "<templates><template tid='T'><data name='d' inType='win:%s' %s%s%s%s/></template></templates>"
		 EVENT, in, out ? "outType='" : "", out ? out : "", out ? "'" : "",
		 !strcmp(in, "Binary") ? " length='16'" : "");
	return read_inner(text) ? NULL : &manifest->providers[0].templates[0].fields[0];
}

static void check_pairs(void)
{
	const struct etw_mf_field *f;
	unsigned int i, j, out;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		unsigned int wrong = 0;

		f = field_of(pairs[i].in, NULL);
		ok(f && f->in_type == pairs[i].in_type && f->out_type == pairs[i].out_types[0],
		   "win:%s is %u and its out-type %u", pairs[i].in, pairs[i].in_type,
		   pairs[i].out_types[0]);
		for (out = 1; out <= 38; out++) {
			bool fits = false;

			for (j = 0; j < 12; j++)
				fits |= pairs[i].out_types[j] == out;
			f = field_of(pairs[i].in, out_names[out]);
			if (!f != !fits || (f && f->out_type != out)) {
				printf("# %s\n", out_names[out]);
				wrong++;
			}
		}
		is(wrong, 0, "it goes with its out-types and no others");
	}
	f = field_of("UInt32", "xs:HexInt32");
	ok(f && f->out_type == TDH_OUTTYPE_HEXINT32, "xs:HexInt32 is win:HexInt32");
	f = field_of("UInt64", "win:hexInt64");
	ok(f && f->out_type == TDH_OUTTYPE_HEXINT64, "win:hexInt64 is win:HexInt64");
}

static void check_pieces(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	fprintf(f, "<templates>\n<template tid='T1'>");
	for (i = 0; i < 127; i++)
		fprintf(f, "<data name='d%d' inType='win:UInt8'/>", i);
	fprintf(f, "<data name='e' inType='win:CountedBinary'/></template></templates>" EVENT);
	fclose(f);
	check_warning(&(struct rule){ text, 5,
		"template \"T1\": has fields for 129 data descriptors, and an event is written with at most 128" });
	free(text);
}

int main(void)
{
	EACH(templates, check_rule);
	EACH(lengths, check_rule);
	EACH(sizes, check_rule);
	EACH(maps, check_rule);
	check_pairs();
	check_pieces();
	read_end();
	return done_testing();
}
