/* SPDX-License-Identifier: MIT */
/*
 * live.c - what the keys of etw top do, and its screen
 */
#include <string.h>
#include "cli/text.h"
#include "live.h"

#define TYPED_MAX	4096	/* bytes at a prompt */

static void set_text(struct etw_text *text, const char *to)
{
	etw_text_cut(text, 0);
	etw_text_puts(text, to);
	text_check(text);
}

static void draw_line(void *context, unsigned int number, enum view_style style, const char *text)
{
	struct live *live = context;
	const unsigned int column = terminal_line(number, style, text);

	if (number == live->view.prompt_line)
		live->cursor = column;
}

void live_open(struct live *live, struct counting *counting, const char *filter)
{
	set_text(&live->filter, filter ? filter : "");
	live->counting = counting;
	live->view.counting = counting;
	live->view.filter = text_data(&live->filter);
	live->view.typed = "";
	live->view.line = draw_line;
	live->view.context = live;
	live->view.shown[COLUMN_NAME] = true;
	live->is_new = true;
}

void live_close(struct live *live)
{
	etw_text_free(&live->filter);
	etw_text_free(&live->typed);
	etw_text_free(&live->before);
}

/* ------------------------------------------------------------------------- prompts */

static void prompt(struct live *live, enum view_prompt what, const char *text)
{
	live->view.prompt = what;
	live->view.error = NULL;
	live->view.error_column = 0;
	set_text(&live->typed, text);
}

/* Filter by a text if it is an expression; else the one before stays. */
static void apply(struct live *live, const char *text)
{
	struct view *v = &live->view;
	size_t column = 0;

	v->error = NULL;
	v->error_column = 0;
	if (!counting_filter(live->counting, text, &v->error, &column)) {
		v->error_column = column;
		return;
	}
	live->recount |= strcmp(text_data(&live->filter), text) != 0;
	set_text(&live->filter, text);
}

static void enter(struct live *live)
{
	struct view *v = &live->view;
	const char *error;

	if (v->prompt == VIEW_FIELD) {
		if (!by_parse(&live->counting->by, text_data(&live->typed), &error)) {
			v->error = error;
			return;
		}
		live->recount = true;
		v->first = 0;
	} else if (v->error) {
		return;
	}
	prompt(live, VIEW_NO_PROMPT, "");
}

static void escape(struct live *live)
{
	if (live->view.prompt == VIEW_FILTER)
		apply(live, text_data(&live->before));
	prompt(live, VIEW_NO_PROMPT, "");
}

static void type(struct live *live, const struct terminal_input *input)
{
	struct etw_text *typed = &live->typed;
	size_t len = typed->len;

	if (input->key == TERMINAL_ERASE_ALL) {
		len = 0;
	} else if (input->key == TERMINAL_ERASE && len) {
		while (--len && ((unsigned char)typed->data[len] & 0xC0) == 0x80)
			;
	} else if (input->key == TERMINAL_CHARACTER && len + strlen(input->text) <= TYPED_MAX) {
		etw_text_puts(typed, input->text);
		len = typed->len;
	}
	etw_text_cut(typed, len);
	text_check(typed);
	live->view.error = NULL;
	if (live->view.prompt == VIEW_FILTER)
		apply(live, text_data(typed));
}

static void prompt_key(struct live *live, const struct terminal_input *input)
{
	switch (input->key) {
	case TERMINAL_ENTER:
		enter(live);
		break;
	case TERMINAL_ESCAPE:
		escape(live);
		break;
	default:
		type(live, input);
	}
}

/* ---------------------------------------------------------------------------- keys */

static void scroll(struct view *v, enum terminal_key key)
{
	const unsigned int last = v->rows > v->page ? v->rows - v->page : 0;
	const unsigned int page = v->page ? v->page : 1;

	switch (key) {
	case TERMINAL_UP:
		v->first -= v->first != 0;
		break;
	case TERMINAL_DOWN:
		v->first += v->first < last;
		break;
	case TERMINAL_PAGE_UP:
		v->first -= v->first < page ? v->first : page;
		break;
	case TERMINAL_PAGE_DOWN:
		v->first = last - v->first < page ? last : v->first + page;
		break;
	case TERMINAL_HOME:
		v->first = 0;
		break;
	case TERMINAL_END:
		v->first = last;
		break;
	default:
		break;
	}
}

static void step_by(struct live *live, int step)
{
	by_step(&live->counting->by, step);
	live->view.first = 0;
	live->recount = true;
}

static void step_sort(struct live *live, int step)
{
	struct view *v = &live->view;

	v->first = 0;
	if (v->flame) {
		v->flame_sort = (enum flame_sort)(((int)v->flame_sort + step + FLAME_SORTS) %
						  FLAME_SORTS);
		return;
	}
	do
		v->sort = (enum column)(((int)v->sort + step + COLUMNS) % COLUMNS);
	while (!v->shown[v->sort]);
}

static void reverse(struct view *v)
{
	if (v->flame)
		v->flame_reverse = !v->flame_reverse;
	else
		v->reverse = !v->reverse;
}

/* From the rows to the stacks, or back */
static void toggle_flame(struct live *live)
{
	live->view.flame = !live->view.flame;
	live->view.first = 0;
	counting_stacks(live->counting);
}

static void command(struct live *live, char letter)
{
	switch (letter) {
	case 'q':
		live->quit = true;
		break;
	case '/':
		set_text(&live->before, text_data(&live->filter));
		prompt(live, VIEW_FILTER, text_data(&live->filter));
		break;
	case 'f':
		prompt(live, VIEW_FIELD, live->counting->by.field);
		break;
	case 'b':
	case 'B':
		step_by(live, letter == 'b' ? 1 : -1);
		break;
	case '>':
	case 's':
		step_sort(live, 1);
		break;
	case '<':
	case 'S':
		step_sort(live, -1);
		break;
	case 'r':
		reverse(&live->view);
		break;
	case 't':
		toggle_flame(live);
		break;
	case ' ':
		live->counting->frozen = !live->counting->frozen;
		break;
	case 'z':
		counting_clear(live->counting);
		break;
	case 'h':
	case '?':
		live->view.help = true;
		break;
	}
}

static void take(struct live *live, const struct terminal_input *input)
{
	if (live->view.help)
		live->view.help = false;
	else if (live->view.prompt)
		prompt_key(live, input);
	else if (input->key == TERMINAL_CHARACTER)
		command(live, *input->text);
	else
		scroll(&live->view, input->key);
	live->is_new = true;
}

void live_update(struct live *live)
{
	struct terminal_input input;
	struct view *v = &live->view;

	for (terminal_read(&input); input.key && !live->quit; terminal_read(&input))
		take(live, &input);
	if (live->recount)
		counting_again(live->counting);
	live->recount = false;
	live->is_new |= terminal_size(&v->screen.width, &v->height);
	if (!live->is_new || live->quit)
		return;
	live->is_new = false;
	v->filter = text_data(&live->filter);
	v->typed = text_data(&live->typed);
	view_draw(v);
	terminal_show(v->prompt != VIEW_NO_PROMPT, v->prompt_line, live->cursor);
}
