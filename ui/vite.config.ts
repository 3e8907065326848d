import { defineConfig } from "vite";

// One script and one style, under names of their own, for `include_str!`.
export default defineConfig({
  build: {
    target: "es2022",
    outDir: process.env["HOB_UI_OUT"] ?? "../crates/report/assets",
    emptyOutDir: false,
    minify: "esbuild",
    cssMinify: "esbuild",
    modulePreload: false,
    lib: { entry: "src/main.ts", formats: ["iife"], name: "hobgoblin", fileName: () => "report.js" },
    rollupOptions: { output: { assetFileNames: "report.[ext]" } },
  },
});
