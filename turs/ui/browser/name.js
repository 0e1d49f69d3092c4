// The name that somebody gave, kept in this browser: a reload gives it back, an emptied field forgets it.

const KEY = "turs-name";
let last = "";

export default function ({ data, setTriggerValue }) {
  const kept = window.localStorage.getItem(KEY) || "";
  if (data.name) {
    window.localStorage.setItem(KEY, data.name);
  } else if (last) {
    window.localStorage.removeItem(KEY);
  } else if (kept) {
    setTriggerValue("known", kept);
  }
  last = data.name;
}
