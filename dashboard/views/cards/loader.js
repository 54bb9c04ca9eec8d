// All that is sent with a rerun: it has the cards' script fetched and hands each run's data on.

export default function (run) {
  const sheet = run.parentElement.querySelector("link");
  Promise.all([script(sheet), styled(sheet)]).then(([{ default: draw }]) => draw(run));
}
