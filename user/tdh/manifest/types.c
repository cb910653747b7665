/* SPDX-License-Identifier: MIT */
/*
 * types.c - data types, and the out-types valid for each in-type
 *
 * Facts of Windows' winmeta.xml. Names are compared without regard to case, and
 * out-types with xs: or win: are equivalent: real manifests have xs:HexInt32 and
 * win:hexInt32.
 */
#include <string.h>
#include <strings.h>

#include "manifest.h"

#define BIT(o)		(1ull << TDH_OUTTYPE_##o)
#define STRINGS		(BIT(STRING) | BIT(XML) | BIT(JSON))
#define BINARIES	(BIT(HEXBINARY) | BIT(IPV6) | BIT(SOCKETADDRESS) | \
			 BIT(PKCS7_WITH_TYPE_INFO))
#define TIMES		(BIT(DATETIME) | BIT(CULTURE_INSENSITIVE_DATETIME) | BIT(DATETIME_UTC))
#define ERRORS		(BIT(ERRORCODE) | BIT(WIN32ERROR) | BIT(NTSTATUS))

struct in_type {
	const char *name;
	uint8_t size;		/* minimum bytes of one element */
	uint8_t standard;	/* the default out-type */
	uint64_t others;	/* all valid out-types, as bits */
};

static const struct in_type in_types[] = {
	[TDH_INTYPE_UNICODESTRING] = { "UnicodeString", 0, TDH_OUTTYPE_STRING, STRINGS },
	[TDH_INTYPE_ANSISTRING] = { "AnsiString", 0, TDH_OUTTYPE_STRING, STRINGS | BIT(UTF8) },
	[TDH_INTYPE_INT8] = { "Int8", 1, TDH_OUTTYPE_BYTE, BIT(STRING) },
	[TDH_INTYPE_UINT8] = { "UInt8", 1, TDH_OUTTYPE_UNSIGNEDBYTE,
			       BIT(HEXINT8) | BIT(STRING) | BIT(BOOLEAN) },
	[TDH_INTYPE_INT16] = { "Int16", 2, TDH_OUTTYPE_SHORT, 0 },
	[TDH_INTYPE_UINT16] = { "UInt16", 2, TDH_OUTTYPE_UNSIGNEDSHORT,
				BIT(PORT) | BIT(HEXINT16) | BIT(STRING) },
	[TDH_INTYPE_INT32] = { "Int32", 4, TDH_OUTTYPE_INT, BIT(HRESULT) },
	[TDH_INTYPE_UINT32] = { "UInt32", 4, TDH_OUTTYPE_UNSIGNEDINT,
				BIT(PID) | BIT(TID) | BIT(IPV4) | BIT(ETWTIME) | ERRORS |
				BIT(HEXINT32) | BIT(CODE_POINTER) },
	[TDH_INTYPE_INT64] = { "Int64", 8, TDH_OUTTYPE_LONG, 0 },
	[TDH_INTYPE_UINT64] = { "UInt64", 8, TDH_OUTTYPE_UNSIGNEDLONG,
				BIT(ETWTIME) | BIT(HEXINT64) | BIT(CODE_POINTER) },
	[TDH_INTYPE_FLOAT] = { "Float", 4, TDH_OUTTYPE_FLOAT, 0 },
	[TDH_INTYPE_DOUBLE] = { "Double", 8, TDH_OUTTYPE_DOUBLE, 0 },
	[TDH_INTYPE_BOOLEAN] = { "Boolean", 4, TDH_OUTTYPE_BOOLEAN, 0 },
	[TDH_INTYPE_BINARY] = { "Binary", 0, TDH_OUTTYPE_HEXBINARY, BINARIES },
	[TDH_INTYPE_GUID] = { "GUID", 16, TDH_OUTTYPE_GUID, 0 },
	[TDH_INTYPE_POINTER] = { "Pointer", 4, TDH_OUTTYPE_HEXINT64,
				 BIT(CODE_POINTER) | BIT(LONG) | BIT(UNSIGNEDLONG) },
	[TDH_INTYPE_FILETIME] = { "FILETIME", 8, TDH_OUTTYPE_DATETIME, TIMES },
	[TDH_INTYPE_SYSTEMTIME] = { "SYSTEMTIME", 16, TDH_OUTTYPE_DATETIME, TIMES },
	[TDH_INTYPE_SID] = { "SID", 8, TDH_OUTTYPE_STRING, 0 },
	[TDH_INTYPE_HEXINT32] = { "HexInt32", 4, TDH_OUTTYPE_HEXINT32,
				  ERRORS | BIT(CODE_POINTER) },
	[TDH_INTYPE_HEXINT64] = { "HexInt64", 8, TDH_OUTTYPE_HEXINT64, BIT(CODE_POINTER) },
	[TDH_INTYPE_MANIFEST_COUNTEDSTRING] = { "CountedUnicodeString", 2, TDH_OUTTYPE_STRING,
						STRINGS },
	[TDH_INTYPE_MANIFEST_COUNTEDANSISTRING] = { "CountedAnsiString", 2, TDH_OUTTYPE_STRING,
						    STRINGS | BIT(UTF8) },
	[TDH_INTYPE_MANIFEST_COUNTEDBINARY] = { "CountedBinary", 2, TDH_OUTTYPE_HEXBINARY,
						BINARIES },
};

#define IN_TYPES	(sizeof(in_types) / sizeof(in_types[0]))

static const char *const out_types[] = {
	[TDH_OUTTYPE_STRING] = "string",
	[TDH_OUTTYPE_DATETIME] = "dateTime",
	[TDH_OUTTYPE_BYTE] = "byte",
	[TDH_OUTTYPE_UNSIGNEDBYTE] = "unsignedByte",
	[TDH_OUTTYPE_SHORT] = "short",
	[TDH_OUTTYPE_UNSIGNEDSHORT] = "unsignedShort",
	[TDH_OUTTYPE_INT] = "int",
	[TDH_OUTTYPE_UNSIGNEDINT] = "unsignedInt",
	[TDH_OUTTYPE_LONG] = "long",
	[TDH_OUTTYPE_UNSIGNEDLONG] = "unsignedLong",
	[TDH_OUTTYPE_FLOAT] = "float",
	[TDH_OUTTYPE_DOUBLE] = "double",
	[TDH_OUTTYPE_BOOLEAN] = "boolean",
	[TDH_OUTTYPE_GUID] = "GUID",
	[TDH_OUTTYPE_HEXBINARY] = "hexBinary",
	[TDH_OUTTYPE_HEXINT8] = "HexInt8",
	[TDH_OUTTYPE_HEXINT16] = "HexInt16",
	[TDH_OUTTYPE_HEXINT32] = "HexInt32",
	[TDH_OUTTYPE_HEXINT64] = "HexInt64",
	[TDH_OUTTYPE_PID] = "PID",
	[TDH_OUTTYPE_TID] = "TID",
	[TDH_OUTTYPE_PORT] = "Port",
	[TDH_OUTTYPE_IPV4] = "IPv4",
	[TDH_OUTTYPE_IPV6] = "IPv6",
	[TDH_OUTTYPE_SOCKETADDRESS] = "SocketAddress",
	[TDH_OUTTYPE_CIMDATETIME] = "CIMDateTime",
	[TDH_OUTTYPE_ETWTIME] = "ETWTIME",
	[TDH_OUTTYPE_XML] = "Xml",
	[TDH_OUTTYPE_ERRORCODE] = "ErrorCode",
	[TDH_OUTTYPE_WIN32ERROR] = "Win32Error",
	[TDH_OUTTYPE_NTSTATUS] = "NTSTATUS",
	[TDH_OUTTYPE_HRESULT] = "HResult",
	[TDH_OUTTYPE_CULTURE_INSENSITIVE_DATETIME] = "DateTimeCultureInsensitive",
	[TDH_OUTTYPE_JSON] = "Json",
	[TDH_OUTTYPE_UTF8] = "Utf8",
	[TDH_OUTTYPE_PKCS7_WITH_TYPE_INFO] = "Pkcs7WithTypeInfo",
	[TDH_OUTTYPE_CODE_POINTER] = "CodePointer",
	[TDH_OUTTYPE_DATETIME_UTC] = "DateTimeUtc",
};

#define OUT_TYPES	(sizeof(out_types) / sizeof(out_types[0]))

/* The name behind the prefix; "": it has another one. */
static const char *skip_prefix(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(name, prefix, len) ? "" : name + len;
}

uint16_t etw_manifest_in_type(const char *name)
{
	uint16_t i;

	name = skip_prefix(name, "win:");
	for (i = 1; i < IN_TYPES; i++)
		if (in_types[i].name && !strcasecmp(name, in_types[i].name))
			return i;
	return 0;
}

uint16_t etw_manifest_out_type(const char *name)
{
	uint16_t i;

	name = skip_prefix(name, strncmp(name, "xs:", 3) ? "win:" : "xs:");
	for (i = 1; i < OUT_TYPES; i++)
		if (!strcasecmp(name, out_types[i]))
			return i;
	return 0;
}

/* A number, whatever its prefix: dumps write "win:22", "22" or "win:0x16". */
static uint16_t type_number(const char *name)
{
	const char *colon = strchr(name, ':');
	uint64_t number;

	if (!etw_manifest_number(colon ? colon + 1 : name, &number) || number > UINT16_MAX)
		return 0;
	return (uint16_t)number;
}

uint16_t etw_manifest_in_type_number(const char *name)
{
	uint16_t type = type_number(name);

	return type < IN_TYPES && in_types[type].name ? type : 0;
}

uint16_t etw_manifest_out_type_number(const char *name)
{
	uint16_t type = type_number(name);

	return type < OUT_TYPES && out_types[type] ? type : 0;
}

/*
 * 0 is not a valid type and has no name, so later checks accept it. It stands for all that
 * are not known: manifests that are not read from XML may have any.
 */
static const struct in_type *type_of(uint16_t in_type)
{
	return &in_types[in_type < IN_TYPES ? in_type : 0];
}

uint16_t etw_manifest_default_out_type(uint16_t in_type)
{
	return type_of(in_type)->standard;
}

bool etw_manifest_types_fit(uint16_t in_type, uint16_t out_type)
{
	return out_type == type_of(in_type)->standard ||
	       (out_type < OUT_TYPES && type_of(in_type)->others >> out_type & 1);
}

unsigned int etw_manifest_type_size(uint16_t in_type)
{
	return type_of(in_type)->size;
}

const char *etw_manifest_in_type_name(uint16_t in_type)
{
	return type_of(in_type)->name ?: "";
}

const char *etw_manifest_out_type_name(uint16_t out_type)
{
	return out_type < OUT_TYPES && out_types[out_type] ? out_types[out_type] : "";
}
