// Makes the page's modules of their texts, each after those that it imports, and opens the page.

const parts = JSON.parse(document.getElementById("parts").textContent);
const places = {};
for (const [name, text] of parts.modules) {
  const joined = text.replace(/samebits-part:([\w./-]+)/g, (_, other) => places[other]);
  places[name] = URL.createObjectURL(new Blob([joined], { type: "text/javascript" }));
}
try {
  const { open } = await import(places["solo/solo.mjs"]);
  await open(parts, (name) => import(places[name]));
} catch (error) {
  const place = document.getElementById("notice");
  place.hidden = false;
  place.textContent = `This page does not run here: ${error.message}`;
  throw error;
}
