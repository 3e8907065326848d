// What a reader did to the page that its address does not say: what is open, scrolled to and focused.

/** The parts that a new version of the page replaces. */
export const PARTS = "body > header.top, body > nav.levels, body > main, body > script[type='application/json']";

const FOCUSABLE = "a, button, input, select, summary, [tabindex]";

/** How to do it again to a new version of the page. */
export interface Kept {
  unfold(): void;
  scroll(): void;
  focus(): void;
}

/** Remembers what the reader did to this version. */
export function keep(): Kept {
  const folds = [...named<HTMLDetailsElement>("details")].map(([name, details]) => [name, details.open] as const);
  const scrolled = [...named(".scroll, pre")].map(([name, box]) => [name, box.scrollLeft, box.scrollTop] as const);
  const focused = document.activeElement;
  const name = [...named(FOCUSABLE)].find(([, element]) => element === focused)?.[0];
  const caret = focused instanceof HTMLInputElement && focused.type === "search" ? ([focused.selectionStart, focused.selectionEnd] as const) : undefined;
  const [left, top] = [scrollX, scrollY];
  return {
    unfold() {
      const details = named<HTMLDetailsElement>("details");
      for (const [name, open] of folds) {
        const fold = details.get(name);
        if (fold) fold.open = open;
      }
    },
    scroll() {
      const boxes = named(".scroll, pre");
      for (const [name, left, top] of scrolled) boxes.get(name)?.scrollTo({ left, top, behavior: "instant" });
      scrollTo({ left, top, behavior: "instant" });
    },
    focus() {
      if (!name || !(focused instanceof HTMLElement)) return;
      const again = focused.id ? document.getElementById(focused.id) : named(FOCUSABLE).get(name);
      if (!again || again.tagName !== focused.tagName) return;
      if (focused.tabIndex < 0) again.tabIndex = -1;
      again.focus({ preventScroll: true });
      if (again instanceof HTMLInputElement && caret) again.setSelectionRange(...caret);
    },
  };
}

/** The elements that fit, by what they are called in every version: their row, or the id above and the place below it. */
function named<T extends HTMLElement>(selector: string): Map<string, T> {
  const places = new Map<string, number>();
  const names = new Map<string, T>();
  for (const element of document.querySelectorAll<T>(selector)) {
    const part = element.closest(PARTS);
    if (!part) continue;
    const row = element.dataset["row"];
    const above = row === undefined ? `${part.tagName} ${element.closest("[id]")?.id ?? ""}` : `row ${row}`;
    const place = places.get(above) ?? 0;
    places.set(above, place + 1);
    names.set(`${above} ${place}`, element);
  }
  return names;
}
