// What the page is made of, as Rust wrote it.

/** The first element that fits, which Rust always writes. */
export function need<T extends Element>(within: ParentNode, selector: string): T {
  const found = within.querySelector<T>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

/** A new element with a class and text. Text from data is only ever set here and as `textContent`. */
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, className = "", text = ""): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

/** A button that does one thing. */
export function button(text: string, label: string, act: () => void): HTMLButtonElement {
  const element = make("button", "", text);
  element.type = "button";
  if (label) {
    element.setAttribute("aria-label", label);
    element.title = label;
  }
  element.addEventListener("click", act);
  return element;
}

/** Says something to those who do not see the page. */
export function announcer(): (text: string) => void {
  const live = make("p", "unseen");
  live.setAttribute("aria-live", "polite");
  live.id = "said";
  document.body.append(live);
  return (text) => {
    live.textContent = text;
  };
}

/** 12345 as 12,345. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
