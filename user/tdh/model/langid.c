// SPDX-License-Identifier: MIT
/*
 * langid.c - cultures and their numbers in resources
 */
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "langid.h"

#define LANGUAGE	0x3ff	/* the bits of the language alone */

/* By language, then by sub-language. */
static const struct culture {
	const char *name;
	uint16_t langid;
} cultures[] = {
	{ "ar-SA", 0x0401 }, { "ar-IQ", 0x0801 }, { "ar-EG", 0x0c01 }, { "ar-LY", 0x1001 },
	{ "ar-DZ", 0x1401 }, { "ar-MA", 0x1801 }, { "ar-TN", 0x1c01 }, { "ar-OM", 0x2001 },
	{ "ar-YE", 0x2401 }, { "ar-SY", 0x2801 }, { "ar-JO", 0x2c01 }, { "ar-LB", 0x3001 },
	{ "ar-KW", 0x3401 }, { "ar-AE", 0x3801 }, { "ar-BH", 0x3c01 }, { "ar-QA", 0x4001 },
	{ "bg-BG", 0x0402 }, { "ca-ES", 0x0403 }, { "zh-Hans", 0x0004 },
	{ "zh-TW", 0x0404 }, { "zh-CN", 0x0804 }, { "zh-HK", 0x0c04 }, { "zh-SG", 0x1004 },
	{ "zh-MO", 0x1404 }, { "zh-Hant", 0x7c04 }, { "cs-CZ", 0x0405 },
	{ "da-DK", 0x0406 }, { "de-DE", 0x0407 }, { "de-CH", 0x0807 }, { "de-AT", 0x0c07 },
	{ "de-LU", 0x1007 }, { "de-LI", 0x1407 }, { "el-GR", 0x0408 }, { "en-US", 0x0409 },
	{ "en-GB", 0x0809 }, { "en-AU", 0x0c09 }, { "en-CA", 0x1009 }, { "en-NZ", 0x1409 },
	{ "en-IE", 0x1809 }, { "en-ZA", 0x1c09 }, { "en-JM", 0x2009 },
	{ "en-029", 0x2409 }, { "en-BZ", 0x2809 }, { "en-TT", 0x2c09 },
	{ "en-ZW", 0x3009 }, { "en-PH", 0x3409 }, { "en-IN", 0x4009 }, { "en-MY", 0x4409 },
	{ "en-SG", 0x4809 }, { "es-ES_tradnl", 0x040a }, { "es-MX", 0x080a },
	{ "es-ES", 0x0c0a }, { "es-GT", 0x100a }, { "es-CR", 0x140a }, { "es-PA", 0x180a },
	{ "es-DO", 0x1c0a }, { "es-VE", 0x200a }, { "es-CO", 0x240a }, { "es-PE", 0x280a },
	{ "es-AR", 0x2c0a }, { "es-EC", 0x300a }, { "es-CL", 0x340a }, { "es-UY", 0x380a },
	{ "es-PY", 0x3c0a }, { "es-BO", 0x400a }, { "es-SV", 0x440a }, { "es-HN", 0x480a },
	{ "es-NI", 0x4c0a }, { "es-PR", 0x500a }, { "es-US", 0x540a }, { "fi-FI", 0x040b },
	{ "fr-FR", 0x040c }, { "fr-BE", 0x080c }, { "fr-CA", 0x0c0c }, { "fr-CH", 0x100c },
	{ "fr-LU", 0x140c }, { "fr-MC", 0x180c }, { "he-IL", 0x040d }, { "hu-HU", 0x040e },
	{ "is-IS", 0x040f }, { "it-IT", 0x0410 }, { "it-CH", 0x0810 }, { "ja-JP", 0x0411 },
	{ "ko-KR", 0x0412 }, { "nl-NL", 0x0413 }, { "nl-BE", 0x0813 }, { "nb-NO", 0x0414 },
	{ "nn-NO", 0x0814 }, { "pl-PL", 0x0415 }, { "pt-BR", 0x0416 }, { "pt-PT", 0x0816 },
	{ "rm-CH", 0x0417 }, { "ro-RO", 0x0418 }, { "ru-RU", 0x0419 }, { "hr-HR", 0x041a },
	{ "sr-Latn-CS", 0x081a }, { "sr-Cyrl-CS", 0x0c1a }, { "hr-BA", 0x101a },
	{ "bs-Latn-BA", 0x141a }, { "sr-Latn-BA", 0x181a }, { "sr-Cyrl-BA", 0x1c1a },
	{ "bs-Cyrl-BA", 0x201a }, { "sr-Latn-RS", 0x241a }, { "sr-Cyrl-RS", 0x281a },
	{ "sr-Latn-ME", 0x2c1a }, { "sr-Cyrl-ME", 0x301a }, { "sk-SK", 0x041b },
	{ "sq-AL", 0x041c }, { "sv-SE", 0x041d }, { "sv-FI", 0x081d }, { "th-TH", 0x041e },
	{ "tr-TR", 0x041f }, { "ur-PK", 0x0420 }, { "id-ID", 0x0421 }, { "uk-UA", 0x0422 },
	{ "be-BY", 0x0423 }, { "sl-SI", 0x0424 }, { "et-EE", 0x0425 }, { "lv-LV", 0x0426 },
	{ "lt-LT", 0x0427 }, { "tg-Cyrl-TJ", 0x0428 }, { "fa-IR", 0x0429 },
	{ "vi-VN", 0x042a }, { "hy-AM", 0x042b }, { "az-Latn-AZ", 0x042c },
	{ "az-Cyrl-AZ", 0x082c }, { "eu-ES", 0x042d }, { "hsb-DE", 0x042e },
	{ "dsb-DE", 0x082e }, { "mk-MK", 0x042f }, { "tn-ZA", 0x0432 },
	{ "xh-ZA", 0x0434 }, { "zu-ZA", 0x0435 }, { "af-ZA", 0x0436 }, { "ka-GE", 0x0437 },
	{ "fo-FO", 0x0438 }, { "hi-IN", 0x0439 }, { "mt-MT", 0x043a }, { "se-NO", 0x043b },
	{ "se-SE", 0x083b }, { "se-FI", 0x0c3b }, { "ga-IE", 0x083c }, { "ms-MY", 0x043e },
	{ "ms-BN", 0x083e }, { "kk-KZ", 0x043f }, { "ky-KG", 0x0440 }, { "sw-KE", 0x0441 },
	{ "tk-TM", 0x0442 }, { "uz-Latn-UZ", 0x0443 }, { "uz-Cyrl-UZ", 0x0843 },
	{ "tt-RU", 0x0444 }, { "bn-IN", 0x0445 }, { "bn-BD", 0x0845 }, { "pa-IN", 0x0446 },
	{ "gu-IN", 0x0447 }, { "or-IN", 0x0448 }, { "ta-IN", 0x0449 }, { "te-IN", 0x044a },
	{ "kn-IN", 0x044b }, { "ml-IN", 0x044c }, { "as-IN", 0x044d }, { "mr-IN", 0x044e },
	{ "sa-IN", 0x044f }, { "mn-MN", 0x0450 }, { "mn-Mong-CN", 0x0850 },
	{ "bo-CN", 0x0451 }, { "cy-GB", 0x0452 }, { "km-KH", 0x0453 }, { "lo-LA", 0x0454 },
	{ "gl-ES", 0x0456 }, { "kok-IN", 0x0457 }, { "syr-SY", 0x045a },
	{ "si-LK", 0x045b }, { "am-ET", 0x045e }, { "ne-NP", 0x0461 }, { "fy-NL", 0x0462 },
	{ "ps-AF", 0x0463 }, { "fil-PH", 0x0464 }, { "dv-MV", 0x0465 },
	{ "ha-Latn-NG", 0x0468 }, { "yo-NG", 0x046a }, { "quz-BO", 0x046b },
	{ "quz-EC", 0x086b }, { "quz-PE", 0x0c6b }, { "nso-ZA", 0x046c },
	{ "ba-RU", 0x046d }, { "lb-LU", 0x046e }, { "kl-GL", 0x046f }, { "ig-NG", 0x0470 },
	{ "haw-US", 0x0475 }, { "arn-CL", 0x047a }, { "moh-CA", 0x047c },
	{ "br-FR", 0x047e }, { "ug-CN", 0x0480 }, { "mi-NZ", 0x0481 }, { "oc-FR", 0x0482 },
	{ "co-FR", 0x0483 }, { "gsw-FR", 0x0484 }, { "sah-RU", 0x0485 },
	{ "rw-RW", 0x0487 }, { "wo-SN", 0x0488 }, { "prs-AF", 0x048c },
	{ "gd-GB", 0x0491 },
};

#define COUNT	(sizeof(cultures) / sizeof(cultures[0]))

/* A language alone: "en" of "en-US" */
static int is_language_of(const char *language, const char *culture)
{
	size_t len = strlen(language);

	return !strncasecmp(language, culture, len) && culture[len] == '-';
}

uint16_t etw_langid(const char *culture)
{
	size_t i;

	for (i = 0; i < COUNT; i++) {
		if (!strcasecmp(culture, cultures[i].name))
			return cultures[i].langid;
	}
	for (i = 0; *culture && i < COUNT; i++) {
		if (is_language_of(culture, cultures[i].name))
			return cultures[i].langid & LANGUAGE;
	}
	return 0;
}

const char *etw_langid_culture(uint16_t langid)
{
	size_t i;

	for (i = 0; i < COUNT; i++) {
		if (cultures[i].langid == langid)
			return cultures[i].name;
	}
	/* A language alone maps to its first culture. */
	for (i = 0; langid && !(langid & ~LANGUAGE) && i < COUNT; i++) {
		if ((cultures[i].langid & LANGUAGE) == langid)
			return cultures[i].name;
	}
	return NULL;
}
