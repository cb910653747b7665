/* SPDX-License-Identifier: MIT */
/*
 * xml_write.h - a provider's schema as the XML of a manifest
 */
#ifndef ETW_TDH_MANIFEST_XML_WRITE_H
#define ETW_TDH_MANIFEST_XML_WRITE_H

#include "tdh/model/model.h"
#include "base/text.h"

/*
 * Append a manifest that has only this provider.  What does not matter to who decodes
 * events is left out: UserData, help links, the message table.  0; -ENOMEM;
 * -EINVAL: what was written would not be read as a manifest.
 */
int etw_manifest_xml(const struct etw_mf_provider *provider, struct etw_text *out);

#endif /* ETW_TDH_MANIFEST_XML_WRITE_H */
