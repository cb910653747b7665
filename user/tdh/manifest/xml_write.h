/* SPDX-License-Identifier: MIT */
/*
 * xml_write.h - a provider's schema as the XML of a manifest
 */
#ifndef ETW_TDH_MANIFEST_XML_H
#define ETW_TDH_MANIFEST_XML_H

#include "tdh/model/model.h"
#include "base/text.h"

/* What is written, and where to */
struct etw_xml {
	struct etw_text *out;
	const struct etw_mf_provider *provider;
	bool *used;	/* of the manifest's messages: those that were referred to */
	bool plain;	/* channels are of no type that has rules of its own */
};

/*
 * Append a manifest that has only this provider.  What does not matter to who decodes
 * events is left out: UserData, help links, the message table.  0; -ENOMEM;
 * -EINVAL: what was written would not be read as a manifest.
 */
int etw_manifest_xml(const struct etw_mf_provider *provider, struct etw_text *out);

/* ' name="value"'; nothing if value is NULL. */
void etw_xml_attr(struct etw_xml *x, const char *name, const char *value);
void etw_xml_number(struct etw_xml *x, const char *name, uint64_t value);
void etw_xml_message(struct etw_xml *x, const struct etw_mf_message *message);

/* <maps>, <namedQueries> and <templates> */
void etw_xml_maps(struct etw_xml *x);
void etw_xml_templates(struct etw_xml *x);

#endif /* ETW_TDH_MANIFEST_XML_H */
