// Swagger UI over the description of the API, in the site's theme. What is tried while logged in is sent as the person
// who looks at it, with the token that forms have, too.

const place = document.getElementById("docs");
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");

function follow() {
  const theme = root.dataset.theme ?? (system.matches ? "dark" : "light");
  root.classList.toggle("dark-mode", theme === "dark");
}

system.addEventListener("change", follow);
follow();

// A page has one main part, and this one's is around all that is drawn here.
new MutationObserver(() => place.querySelector("main:not([role])")?.setAttribute("role", "group"))
  .observe(place, { childList: true, subtree: true });

window.SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  presets: [window.SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  requestInterceptor: (request) => {
    const isOurs = new URL(request.url, location.href).origin === location.origin;
    if (place.dataset.csrf && isOurs && request.method !== "GET") {
      request.headers["X-CSRFToken"] = place.dataset.csrf;
    }
    return request;
  },
});
