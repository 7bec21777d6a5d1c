// In the place of Leaflet where the build had none.
document.addEventListener('DOMContentLoaded', () => {
  document.body.textContent = 'This page lacks Leaflet, the library that shows its tiles: the deepfield that ' +
    'made it was built without. Copy a page from a build that has it, or open the .dzi beside this page in ' +
    'another viewer of Deep Zoom pictures.';
  document.body.style.cssText = 'color: #eee; background: #222; font: 16px sans-serif; padding: 2em';
});
