// The secret stands behind the #, which is never sent: it leaves the address bar and the history
// before anything else happens, and goes to the server in the body of a request.
const secret = location.hash.slice(1);
history.replaceState({}, "", location.pathname);
const say = (sentence) => (document.querySelector("main p").textContent = sentence);
const open = async () => {
  const answer = await fetch("share", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ secret }),
  });
  const { to, problem } = await answer.json();
  if (to) location.replace(to);
  else say(problem);
};
open().catch(() => say("The dashboard does not answer. Open the link again in a moment."));
