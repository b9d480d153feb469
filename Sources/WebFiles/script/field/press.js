// What is replaced while a finger is on it is not tapped: drawing waits for the release.

/** The time from the release to the click that it makes, in milliseconds. */
const CLICK = 50;

let isPressed = false;
let timer = 0;
/** What is done after the release. @type {Set<() => any>} */
const later = new Set();

/**
 * True while a finger or a button of a mouse is down; then the work is done after the click.
 * @param {() => any} work
 */
export const waitsForRelease = (work) => {
  if (isPressed) later.add(work);
  return isPressed;
};

const end = () => {
  isPressed = false;
  const works = [...later];
  later.clear();
  for (const work of works) work();
};
const release = () => { clearTimeout(timer); timer = setTimeout(end, CLICK); };

// The next press may begin before the click of the last one.
addEventListener('pointerdown', () => { clearTimeout(timer); isPressed = true; }, true);
// A finger that scrolls cancels its press; a menu of the browser, or another window, takes the release.
for (const name of ['pointerup', 'pointercancel', 'contextmenu']) addEventListener(name, release, true);
addEventListener('blur', release);
