"""The style of the page Classroom: large enough to be read off a wall, in one column on a phone."""

STYLE = """<style>
:is(.st-key-roomopen, .st-key-roomend) button { background: #1f5fa8; border-color: #1f5fa8; color: #fff; }
.room-join { display: inline-block; text-decoration: none; border-radius: 0.4rem; padding: 0.35rem 0.9rem;
  background: #1f5fa8;
  color: #fff; }
.room-code { display: flex; align-items: center; gap: 0.6rem 1.6rem; }
.room-code img { width: clamp(7rem, 11vw, 12rem); border-radius: 0.3rem; }
.room-code p { margin: 0; display: flex; flex-direction: column; line-height: 1.15; min-width: 0; }
.room-code small { font-size: 1rem; opacity: 0.8; }
.room-code b { font: 700 clamp(2.4rem, 5.5vw, 6rem) / 1.1 "Source Code Pro", ui-monospace, monospace;
  letter-spacing: 0.04em;
  white-space: nowrap; }
.room-link { font-size: clamp(1rem, 1.7vw, 2rem); overflow-wrap: anywhere; }
.room-code.large { gap: 1rem 3vw; }
.room-code.large img { width: min(60vh, 32vw, 44rem); }
.room-code.large b { font-size: clamp(3rem, 6.4vw, 10rem); }
.room-code.large :is(.room-link, small) { font-size: clamp(1.1rem, 2.2vw, 2.6rem); }
.room-visitors { margin: 0; font-size: clamp(1rem, 1.4vw, 1.6rem); }
.room-visitors b { font-size: 2em; }
.st-key-roomhead > :first-child { flex: 1 1 auto; }
.st-key-roomhead { justify-content: space-between; }
.st-key-roomsteps { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); gap: 0.8rem;
  align-items: start; }
.st-key-roomsteps > * { height: 100%; }
[class*="st-key-roomstep"]:not(.st-key-roomsteps) { border: 1px solid rgba(128, 140, 155, 0.4); border-radius: 0.5rem;
  padding: 0.7rem 0.9rem; gap: 0.45rem; height: 100%; }
.room-step h3 { font-size: clamp(1.05rem, 1.3vw, 1.6rem); margin: 0; padding: 0; line-height: 1.25; }
.room-step h3 b { display: inline-block; min-width: 1.4em; color: #e8890c; }
.room-step p, .room-question p, .room-answered { margin: 0; font-size: clamp(1rem, 1.15vw, 1.4rem); line-height: 1.35;
  font-variant-numeric: tabular-nums; }
.room-question { font-size: clamp(1rem, 1.15vw, 1.4rem); }
.room-meter { display: flex; height: 0.6rem; border-radius: 0.3rem; background: rgba(128, 140, 155, 0.18);
  overflow: hidden;
  margin-top: 0.3rem; }
.room-step p i { display: inline-block; width: 0.7em; height: 0.7em; border-radius: 50%; margin: 0 0.3em 0 0.15em; }
.room-step i.further { background: #3b82c4; }
.room-step i.here { background: #e8890c; }
[class*="st-key-roomstep"]:not(.st-key-roomsteps):has(.room-step.held) { border-color: #e8890c;
  box-shadow: 0 0 0 1px #e8890c; }
.room-answers { margin: 0.4em 0 0; display: grid; gap: 0.3em 0.6em; }
.room-answers > div { position: relative; display: flex; justify-content: space-between; gap: 0.8em; margin: 0;
  padding: 0.1em 0.5em; border-radius: 0.25em; background: rgba(128, 140, 155, 0.14); overflow: hidden;
    line-height: 1.4; }
.room-answers i { position: absolute; inset: 0 auto 0 0; background: rgba(128, 140, 155, 0.38); }
.room-answers .right i { background: rgba(65, 168, 102, 0.45); }
.room-answers.two > div { padding-bottom: 0.75em; }
.room-answers.two i { top: auto; height: 0.3em; background: rgba(128, 140, 155, 0.9); }
.room-answers.two .right i { background: rgba(60, 165, 100, 0.95); }
.room-answers.two i:first-of-type { bottom: 0.4em; opacity: 0.55; }
.room-answers span { position: relative; }
.room-answers .right span { font-weight: 600; }
.room-answers span:last-child { white-space: nowrap; font-variant-numeric: tabular-nums; }
.room-order { margin: 0.3em 0 0; font-size: 0.9em; opacity: 0.85; text-align: right; }
.room-step a { color: inherit; }
[class*="st-key-hold"] { margin-left: auto; }
:root:fullscreen :is([data-testid="stSidebar"], [data-testid="stExpandSidebarButton"], [data-testid="stHeader"],
  .st-key-top,
  .stElementContainer:has(h1), .st-key-fullscreen) { display: none; }
:root:fullscreen .stApp .stMainBlockContainer { padding: 0.8rem 1.2rem; }
@media (max-width: 640px) {
  [data-testid="stHorizontalBlock"]:has(.st-key-code) > [data-testid="stColumn"]:last-child { order: -1; }
  .room-code img { display: none; }
  .room-code.large img { display: block; width: min(80vw, 18rem); }
  .room-code.large { flex-direction: column; text-align: center; }
}
</style>"""
