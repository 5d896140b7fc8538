/** The editor in ink: the page's tokens, no hue, and rows as high as those of the list it replaces. */

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const tones = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword, tags.definitionKeyword, tags.moduleKeyword, tags.bool, tags.null], class: "word" },
  { tag: [tags.string, tags.special(tags.string)], class: "string" },
  { tag: tags.comment, class: "comment" },
]);

const hanging = { paddingLeft: "calc(var(--code-pad) + var(--hang) + var(--code-more))", paddingRight: "0", textIndent: "calc(0ch - var(--code-more) - var(--hang))" };

const look = EditorView.theme({
  "&": { maxHeight: "var(--code-height)", color: "var(--ink-3)", background: "none" },
  "&.cm-focused": { outline: "none" },
  "&:has(.cm-content:focus-visible)": { outline: "2px solid var(--focus)", outlineOffset: "2px" },
  ".cm-scroller": { overflow: "auto", fontFamily: "var(--mono)", fontSize: "var(--t-ui)", lineHeight: "20px" },
  ".cm-content": { padding: "0", outline: "none", cursor: "pointer" },
  ".cm-line": { ...hanging },
  ".cm-line.has, .cm-line.changed": { color: "var(--ink)" },
  ".cm-line.chosen": { background: "var(--sunk)", color: "var(--ink)" },
  ".was": { ...hanging, color: "var(--ink-3)" },
  ".word": { fontWeight: "500" },
  ".has .string, .changed .string, .chosen .string": { color: "var(--ink-2)" },
  ".comment": { color: "var(--ink-3)" },
  ".cm-gutters": { background: "none", border: "none", color: "var(--ink-3)" },
  ".cm-lineNumbers .cm-gutterElement": { width: "var(--code-number)", minWidth: "0", padding: "0", fontSize: "var(--t-mark)", cursor: "pointer" },
  ".cm-gutterElement::after": { content: "''", display: "inline-block", width: "16px", textAlign: "center", fontSize: "var(--t-ui)" },
  ".cm-gutterElement.changed::after": { content: "'+'" },
  ".cm-gutterElement.was": { padding: "0", textIndent: "0" },
  ".cm-gutterElement.was::after": { content: "'\u2212'" },
  ".cm-gutterElement.changed, .cm-gutterElement.has": { color: "var(--ink)" },
  ".cm-gutterElement.chosen": { background: "var(--sunk)", boxShadow: "inset 3px 0 0 var(--ink)", color: "var(--ink)", fontWeight: "500" },
});

export const ink = [syntaxHighlighting(tones), look];
