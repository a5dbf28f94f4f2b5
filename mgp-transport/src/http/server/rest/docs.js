// Without `validatorUrl: null`, the library would name an image on another host.
SwaggerUIBundle({ url: "openapi.json", dom_id: "#tools", deepLinking: true, validatorUrl: null });
