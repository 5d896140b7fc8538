/** The script in CodeMirror, for reading: lines are chosen, never changed. Loaded only once a script is on the stage. */

import { pythonLanguage } from "@codemirror/lang-python";
import { type ChangeSpec, Compartment, EditorState } from "@codemirror/state";
import { BlockType, type BlockInfo, EditorView, lineNumbers } from "@codemirror/view";
import type { CodeView } from "../lesson/reply.ts";
import { linesOf, scrolledTo } from "./lines.ts";
import { besideOld, marksOf } from "./marks.ts";
import { ink } from "./theme.ts";

export interface Editor {
  show(view: CodeView, chosen: number): void;
  focus(): void;
  destroy(): void;
}
export interface Wishes {
  onpick(line: number): void;
  /** Where the chosen row's middle now is, from the editor's upper edge; null while it is scrolled away. */
  onplace(middle: number | null): void;
}

const row = 20;

/** `host` gets a shadow root: there CodeMirror's styles are adopted sheets, which the page's policy allows. */
export function open(host: HTMLElement, view: CodeView, chosen: number, scrolled: number, wishes: Wishes): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const marks = new Compartment();
  let line = chosen;

  const editor = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: view.text,
      extensions: [
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.lineWrapping,
        lineNumbers(),
        pythonLanguage,
        ink,
        besideOld,
        marks.of(dressed(view)),
        EditorView.updateListener.of(place),
        EditorView.domEventHandlers({ keydown: press, scroll: place }),
      ],
    }),
  });
  editor.dom.addEventListener("click", click);
  editor.scrollDOM.scrollTop = scrolled;
  reveal();

  function dressed(shown: CodeView) {
    return [marksOf(linesOf(shown, line)), EditorView.contentAttributes.of({ "aria-label": shown.file, tabindex: "0" })];
  }
  function chosenBlock(): BlockInfo {
    const { lines } = editor.state.doc;
    return editor.lineBlockAt(editor.state.doc.line(Math.min(Math.max(1, line), lines)).from);
  }
  function place(): void {
    editor.requestMeasure({
      key: place,
      read: () => {
        const block = chosenBlock();
        const text = Array.isArray(block.type) ? block.type.find((part) => part.type === BlockType.Text) : block;
        const middle = (text?.top ?? block.top) - editor.scrollDOM.scrollTop + row / 2;
        return middle > 0 && middle < editor.scrollDOM.clientHeight ? middle : null;
      },
      write: (middle) => wishes.onplace(middle),
    });
  }
  // Rows not yet drawn have estimated heights, so where the chosen one is gets looked up again a frame later.
  function reveal(tries = 3): void {
    editor.requestMeasure({
      key: reveal,
      read: () => scrolledTo(chosenBlock(), editor.scrollDOM.scrollTop, editor.scrollDOM.clientHeight),
      write: (top) => {
        if (top !== editor.scrollDOM.scrollTop) editor.scrollDOM.scrollTop = top;
        if (tries > 1) requestAnimationFrame(() => reveal(tries - 1));
        place();
      },
    });
  }
  function press(event: KeyboardEvent): boolean {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    const { lines } = editor.state.doc;
    const to = { ArrowUp: line - 1, ArrowDown: line + 1, Home: 1, End: lines }[event.key];
    if (to === undefined) return false;
    if (to !== line && to >= 1 && to <= lines) wishes.onpick(to);
    return true;
  }
  function click(event: MouseEvent): void {
    if (!editor.state.selection.main.empty) return;
    const block = editor.lineBlockAtHeight(event.clientY - editor.documentTop);
    wishes.onpick(editor.state.doc.lineAt(block.from).number);
  }

  return {
    show(shown, next) {
      line = next;
      editor.dispatch({ changes: changeOf(editor.state.doc.toString(), shown.text), effects: marks.reconfigure(dressed(shown)) });
      reveal();
    },
    focus: () => editor.contentDOM.focus({ preventScroll: true }),
    destroy: () => editor.destroy(),
  };
}

/** The smallest stretch that differs, so that the rows around an edit stay where they are. */
function changeOf(old: string, text: string): ChangeSpec {
  let from = 0;
  const shorter = Math.min(old.length, text.length);
  while (from < shorter && old[from] === text[from]) from += 1;
  let same = 0;
  while (same < shorter - from && old.at(-1 - same) === text.at(-1 - same)) same += 1;
  return { from, to: old.length - same, insert: text.slice(from, text.length - same) };
}
