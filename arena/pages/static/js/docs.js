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

window.SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  presets: [window.SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  // A page has one main part, and this one's is around all of it.
  onComplete: () => place.querySelector("main")?.setAttribute("role", "group"),
  requestInterceptor: (request) => {
    const isOurs = new URL(request.url, location.href).origin === location.origin;
    if (place.dataset.csrf && isOurs && request.method !== "GET") {
      request.headers["X-CSRFToken"] = place.dataset.csrf;
    }
    return request;
  },
});
