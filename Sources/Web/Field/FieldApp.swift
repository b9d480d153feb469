package import Domain
internal import FoundationEssentials
internal import Secrets
internal import WebFiles

/// The field app: the files that a phone keeps, under the name of their build.
///
/// The build is a digest of all files, so that a phone that has the worker of a build has the whole build: `all.json` is
/// all of it in one answer. The modules name each other by relative paths, and nothing is rewritten.
package struct FieldApp: Sendable {
  /// The app of this binary.
  package static let standard = FieldApp()

  /// The name of the build: 12 hexadecimal digits.
  package let build: String
  /// The files of the build by name.
  private let files: [String: AssetLibrary.Asset]
  /// The service worker, which knows the build.
  package let worker: AssetLibrary.Asset

  private init() {
    var files: [String: AssetLibrary.Asset] = [:]
    var worker = ""
    for file in WebFiles.below("script/field") {
      let text = Self.compact(file.text)
      guard file.name != "worker.js" else {
        worker = text
        continue
      }
      files[file.name] = Self.script(text)
    }
    for file in WebFiles.below("style") where file.name.hasSuffix(".css") {
      files[file.name] = AssetLibrary.Asset(
        bytes: Array(file.text.utf8),
        mediaType: "text/css; charset=utf-8"
      )
    }
    for language in Language.allCases {
      files["words.\(language.rawValue).json"] = AssetLibrary.Asset(
        bytes: Array(JSONValue.object(Self.words(language)).text.utf8),
        mediaType: "application/json"
      )
    }
    let names = files.keys.sorted()
    var all = Array(worker.utf8)
    for name in names { all += Array(name.utf8) + [0] + (files[name]?.bytes ?? []) }
    let build = String(Hex.encode(SHA256.hash(all)).prefix(12))
    // A phone fetches the build in one request: what the files have in common is compressed once.
    let texts = names.map { ($0, JSONValue.string(String(decoding: files[$0]?.bytes ?? [], as: UTF8.self))) }
    files["all.json"] = AssetLibrary.Asset(
      bytes: Array(JSONValue.object(JSONObject(texts)).text.utf8),
      mediaType: "application/json"
    )
    let head = """
      import { sendWaiting } from "./b/\(build)/background.js";
      const BUILD = "\(build)";

      """
    self.build = build
    self.files = files
    self.worker = Self.script(head + worker)
  }

  /// Returns a file of the build; nil if there is none.
  package func file(_ name: String) -> AssetLibrary.Asset? { files[name] }

  /// Returns the picture of a width; nil if there is none.
  package func icon(_ width: Int) -> AssetLibrary.Asset? {
    FieldIcon.pictures[width].flatMap { Data(base64Encoded: $0) }.map {
      AssetLibrary.Asset(bytes: Array($0), mediaType: "image/png")
    }
  }

  /// The page of the app, the same for every address of it.
  package var shell: HTML {
    let place = { (name: String) in Place(["app", "b", build, name]) }
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
      <meta name="color-scheme" content="light dark">
      <meta name="theme-color" content="#0a6449">
      <title>Fettle</title>
      <link rel="manifest" href="/app/manifest.webmanifest">
      <link rel="icon" href="/app/icon/192.png">
      <link rel="apple-touch-icon" href="/app/icon/180.png">
      <link rel="stylesheet" href="\(link: place("console.css"))">
      <link rel="stylesheet" href="\(link: place("field.css"))">
      <script type="module" src="\(link: place("app.js"))"></script>
      </head>
      <body class="field">
      <header id="head"></header>
      <div id="status" role="status"></div>
      <main id="main"><noscript><h1>Fettle</h1><p>The app for phones needs scripts. <a href="/">The office pages</a> work without.</p></noscript></main>
      <nav id="nav" aria-label="Fettle" hidden></nav>
      </body>
      </html>

      """
  }

  /// What a phone needs to put the app on its home screen.
  package var manifest: JSONObject {
    func icon(_ width: Int, _ purpose: String) -> JSONValue {
      [
        "src": .string("/app/icon/\(width).png"), "sizes": .string("\(width)x\(width)"), "type": "image/png",
        "purpose": .string(purpose),
      ]
    }
    return [
      "id": "/app/", "name": "Fettle", "short_name": "Fettle", "start_url": "/app/", "scope": "/app/",
      "display": "standalone", "background_color": "#f6f8f6", "theme_color": "#0a6449",
      "icons": .array([icon(192, "any maskable"), icon(512, "any maskable")]),
    ]
  }

  private static func script(_ text: String) -> AssetLibrary.Asset {
    AssetLibrary.Asset(bytes: Array(text.utf8), mediaType: "text/javascript; charset=utf-8")
  }

  private static func words(_ language: Language) -> JSONObject {
    let file = WebFiles.below("words").first { $0.name == "field.\(language.rawValue).strings" }
    let texts = (try? StringsFile(parsing: file?.text ?? ""))?.texts ?? [:]
    return JSONObject(texts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
  }

  /// Returns a script without its comments and indentation, which are half of it and for readers of the source only.
  ///
  /// It takes out what begins with `/**`, and lines that begin with `//`. A test holds the sources to what this understands.
  package static func compact(_ script: String) -> String {
    var text = ""
    var rest = script[...]
    while let begin = rest.firstRange(of: "/**") {
      guard let end = rest[begin.upperBound...].firstRange(of: "*/") else { break }
      text += rest[..<begin.lowerBound]
      rest = rest[end.upperBound...].drop { $0 == " " }
    }
    text += rest
    return text.split(separator: "\n").map { $0.drop { $0 == " " } }
      .filter { !$0.isEmpty && !$0.hasPrefix("//") }
      .joined(separator: "\n") + "\n"
  }
}
