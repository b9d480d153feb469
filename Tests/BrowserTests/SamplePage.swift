import TestTools

/// A small site on which the browser is tried.
enum SamplePage {
  /// Starts the site.
  static func serve() throws -> PageServer {
    try PageServer { method, path in
      switch (method, path.split(separator: "?")[0]) {
      case ("GET", "/"): PageServer.Page(page)
      case ("POST", "/sent"): PageServer.Page("<!doctype html><title>Sent</title><h1>Sent</h1>")
      case ("GET", "/faulty"): PageServer.Page(faulty)
      case ("GET", "/policy"): PageServer.Page(page, fields: ["Content-Security-Policy": "script-src 'none'"])
      default: nil
      }
    }
  }

  /// No fault of accessibility, and no text that two elements share, save the two buttons that begin alike.
  private static let page = """
    <!doctype html>
    <html lang="en">
    <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>Sample</title>
      <link rel="icon" href="data:,">
      <style>
        :root { color-scheme: light dark; color: #000; background: #fff; }
        main { transition: opacity 1s; }
        @media (prefers-color-scheme: dark) { :root { color: #fff; background: #000; } }
        @media (prefers-reduced-motion: reduce) { main { transition: none; } }
        nav { display: none; }
        @media (width < 640px) { nav { display: block; } }
      </style>
    </head>
    <body>
      <nav><a href="#menu">Menu</a></nav>
      <main id="menu">
        <h1>Machines</h1>
        <p id="said">Without scripts</p>
        <p>Two machines <strong>wait</strong> for work</p>
        <form action="/sent" method="post" enctype="multipart/form-data">
          <p><label>Title <input name="title"></label></p>
          <p><label for="state">State</label>
            <select id="state" name="state"><option>Open</option><option>Done</option></select></p>
          <p><label for="photo">Photo</label> <input id="photo" name="photo" type="file"></p>
          <p><label><input type="checkbox" name="urgent"> Urgent</label></p>
          <p><button>Save</button> <button name="more" value="1">Save and add</button></p>
        </form>
        <p><button id="later" type="button">Later</button> <button type="button" hidden>Hidden</button></p>
      </main>
      <script>
        document.querySelector('#said').textContent = 'With scripts'
        document.querySelector('#later').addEventListener('click', event => setTimeout(() => {
          event.target.insertAdjacentHTML('afterend', '<p>Arrived</p>')
        }, 300))
        document.addEventListener('keydown', event => {
          if (event.key === 'Escape') document.querySelector('#said').textContent = 'Closed'
        })
      </script>
    </body>
    </html>
    """

  /// A field without a label, and grey text that can hardly be read.
  private static let faulty = """
    <!doctype html>
    <html lang="en">
    <head><meta charset="utf-8"><title>Faulty</title></head>
    <body><main><h1>Faulty</h1><p style="color: #bbb; background: #fff">Pale</p><input name="lost"></main></body>
    </html>
    """
}
