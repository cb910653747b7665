// SPDX-License-Identifier: MIT
/*
 * state.c - generate the arrays for testing a provider's events, and the context type
 */
#include <string.h>

#include "emit.h"

/* <Name>EnableBits, <Name>Keywords, <Name>Levels; C has no arrays of length 0. */
void etw_mc_bits(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	unsigned int i, count = p->bit_count ? p->bit_count : 1;

	etw_mc_print(mc, "\n/* One bit for each pair of level and keyword, set while enabled */\n");
	etw_mc_print(mc, "%s(ULONG __attribute__((aligned(64))), %sEnableBits[%u]);\n",
		     mc->mode->object, p->name, (count + 31) / 32);
	etw_mc_print(mc, "%s(const ULONGLONG, %sKeywords[%u]) = {", mc->mode->object, p->name,
		     count);
	for (i = 0; i < count; i++)
		etw_mc_print(mc, "%s0x%llx", i ? ", " : "", p->bits[i].keyword);
	etw_mc_print(mc, "};\n%s(const UCHAR, %sLevels[%u]) = {", mc->mode->object, p->name, count);
	for (i = 0; i < count; i++)
		etw_mc_print(mc, "%s%u", i ? ", " : "", p->bits[i].level);
	etw_mc_print(mc, "};\n");
}

/* Does a provider's type, its own included, already end in this name? */
static bool type_is_taken(const struct etw_mc *mc, const char *end)
{
	unsigned int i;

	for (i = 0; i < mc->manifest->provider_count; i++)
		if (!strcmp(mc->providers[i].suffix, end))
			return true;
	return false;
}

/* The type is named by the provider's name, like mc.exe's; a typedef uses its symbol. */
void etw_mc_context_type(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const char *s = p->symbol, *type = p->suffix;

	etw_mc_print(mc, "\n/* For the macros ..._ForContext; registering initializes it */\n"
		     "typedef struct tagMcGenContext_%s {\n"
		     "\tMCGEN_TRACE_CONTEXT Context;\n"
		     "\tULONG EnableBits[%u];\n"
		     "} McGenContext_%s;\n", type, p->bit_count ? (p->bit_count + 31) / 32 : 1, type);
	if (!type_is_taken(mc, s))
		etw_mc_print(mc, "typedef McGenContext_%s McGenContext_%s;\n", type, s);
	etw_mc_print(mc, "#define %sHandle_ForContext(pContext) ((pContext)->Context.RegistrationHandle)\n"
		     "#define %s_Handle_ForContext(pContext) ((pContext)->Context.RegistrationHandle)\n",
		     p->name, s);
	etw_mc_print(mc, "\nETW_INLINE McGenContext_%s *_mcgen_CheckContextType_%s(McGenContext_%s *pContext)\n"
		     "{\n\treturn pContext;\n}\n", type, s, type);
}
