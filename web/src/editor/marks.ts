/** What a script's lines carry in the editor: their tone, the chosen row, and above a changed line what stood there. */

import type { Extension, Range } from "@codemirror/state";
import { RangeSet } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutterLineClass, gutterWidgetClass, WidgetType } from "@codemirror/view";
import { hangOf, type Line } from "./lines.ts";

class Old extends WidgetType {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override eq(other: Old): boolean {
    return other.text === this.text;
  }

  toDOM(): HTMLElement {
    const row = document.createElement("div");
    row.className = "was";
    row.style.setProperty("--hang", hangOf(this.text));
    row.append(this.text.slice(0, this.text.length - this.text.trimStart().length));
    row.appendChild(document.createElement("del")).textContent = this.text.trimStart();
    return row;
  }
}

class GutterClass extends GutterMarker {
  override elementClass: string;

  constructor(name: string) {
    super();
    this.elementClass = name;
  }

  override eq(other: GutterClass): boolean {
    return other.elementClass === this.elementClass;
  }
}

const beside = new GutterClass("was");
export const besideOld = gutterWidgetClass.of((_, widget) => (widget instanceof Old ? beside : null));

/** `lines` are those of the text that the marks are for. */
export function marksOf(lines: readonly Line[]): Extension {
  const decorations: Range<Decoration>[] = [];
  const gutter: Range<GutterMarker>[] = [];
  let at = 0;
  for (const { text, was, classes, hang } of lines) {
    if (was !== null) decorations.push(Decoration.widget({ widget: new Old(was), block: true, side: -1 }).range(at));
    decorations.push(Decoration.line({ class: classes, attributes: { style: `--hang: ${hang}` } }).range(at));
    if (classes !== "") gutter.push(new GutterClass(classes).range(at));
    at += text.length + 1;
  }
  return [EditorView.decorations.of(Decoration.set(decorations, true)), gutterLineClass.of(RangeSet.of(gutter))];
}
