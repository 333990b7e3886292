// Lets the keyboard reach the tables that scroll sideways on a narrow screen.
addEventListener("load", () => {
  document.querySelectorAll(".md-typeset__scrollwrap").forEach((box, index) => {
    if (box.scrollWidth > box.clientWidth) {
      Object.assign(box, { tabIndex: 0, role: "region", ariaLabel: `Table ${index + 1} of this page` })
    }
  })
})
