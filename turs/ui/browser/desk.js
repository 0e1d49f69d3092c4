// What is about to change and what is looked at, kept in this tab: a reload gives it back, once, for the same rules.

const KEY = "turs-desk";
let isBack = false;

export default function ({ data, setTriggerValue }) {
  const kept = JSON.parse(window.sessionStorage.getItem(KEY) || "null");
  if (!isBack) {
    isBack = true;
    if (!data.draft && kept && kept.model === data.model && kept.number === data.number) {
      setTriggerValue("back", kept);
      return;
    }
  }
  window.sessionStorage.setItem(KEY, JSON.stringify(data));
}
