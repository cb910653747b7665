/* SPDX-License-Identifier: MIT */
/*
 * xml_write.h - write a provider's schema as an XML manifest
 */
#ifndef ETW_TDH_MANIFEST_XML_WRITE_H
#define ETW_TDH_MANIFEST_XML_WRITE_H

#include "tdh/model/model.h"
#include "base/text.h"

/*
 * Append a manifest with only this provider. Leaves out UserData and the message table,
 * which decoding does not need. 0; -ENOMEM; -EINVAL: the result could not be
 * read as a manifest.
 */
int etw_manifest_xml(const struct etw_mf_provider *provider, struct etw_text *out);

#endif /* ETW_TDH_MANIFEST_XML_WRITE_H */
