import FoundationEssentials
import Testing
import Web
import WebFiles

/// The files of the field app.
@Suite struct FieldAppTests {
  private static let scripts = WebFiles.below("script/field")

  private static func words(_ language: String) throws -> [String: String] {
    let file = try #require(WebFiles.below("words").first { $0.name == "field.\(language).strings" })
    return try StringsFile(parsing: file.text).texts
  }

  @Test func `the words of the app are in both languages, with the same values in them`() throws {
    let (english, swedish) = (try Self.words("en"), try Self.words("sv"))
    #expect(Set(english.keys) == Set(swedish.keys))
    for (key, text) in english {
      func places(_ text: String?) -> Int {
        (text ?? "").split(separator: "%@", omittingEmptySubsequences: false).count
      }
      #expect(places(text) == places(swedish[key]), "\(key)")
    }
  }

  @Test func `every word that the app names exists`() throws {
    let known = Set(try Self.words("en").keys)
    var missing: Set<String> = []
    for script in Self.scripts {
      for match in script.text.matches(of: /\bt\('([a-z][a-z.-]*)'/) where !known.contains(String(match.1)) {
        missing.insert("\(script.name): \(match.1)")
      }
      // The second word of a choice: t(isOld ? 'a' : 'b').
      for match in script.text.matches(of: /\bt\([^'`()]*\? '([a-z.-]+)' : '([a-z.-]+)'/) {
        for key in [match.1, match.2] where !known.contains(String(key)) {
          missing.insert("\(script.name): \(key)")
        }
      }
      for match in script.text.matches(of: /\bcount\('([a-z.-]+)'/) {
        for form in ["one", "other"] where !known.contains("\(match.1)#\(form)") {
          missing.insert("\(match.1)#\(form)")
        }
      }
    }
    #expect(missing.isEmpty, "\(missing.sorted())")
  }

  @Test func `taking out comments leaves the program as it is`() throws {
    for script in Self.scripts {
      // No text and no pattern of the sources looks like a comment, and no text goes over several lines.
      for line in script.text.split(separator: "\n") {
        #expect(
          line.firstMatch(of: /['"`][^'"`]*\/\*\*/) == nil || line.contains("/** @type"),
          "\(script.name): \(line)"
        )
        let quotes = line.count { $0 == "`" }
        #expect(quotes % 2 == 0, "\(script.name): a text over several lines: \(line)")
      }
      let compact = FieldApp.compact(script.text)
      #expect(!compact.contains("/**") && !compact.contains("\n//"), "\(script.name)")
      #expect(compact.split(separator: "\n").allSatisfy { !$0.hasPrefix(" ") })
    }
    #expect(
      FieldApp.compact("/** a */\nlet b = 'c'; // d\n\n  // e\n  f(/** @type {any} */ (g));\n")
        == "let b = 'c'; // d\nf((g));\n"
    )
  }

  @Test func `a build is named by its content, and its worker knows the name`() throws {
    let app = FieldApp.standard
    #expect(app.build.wholeMatch(of: /[0-9a-f]{12}/) != nil)
    let worker = String(decoding: app.worker.bytes, as: UTF8.self)
    #expect(worker.contains("\nconst BUILD = \"\(app.build)\";\n"))
    let imported = try #require(worker.firstMatch(of: /^import .* from "\.\/b\/([0-9a-f]+)\/([a-z.]+)";\n/))
    #expect(imported.1 == app.build && app.file(String(imported.2)) != nil)
    for script in Self.scripts where script.name != "worker.js" {
      #expect(app.file(script.name)?.mediaType == "text/javascript; charset=utf-8")
      // What a module imports is a file of the build.
      for match in script.text.matches(of: /from '\.\/([a-z]+\.js)'/) {
        #expect(app.file(String(match.1)) != nil, "\(script.name): \(match.1)")
      }
    }
    #expect(app.file("worker.js") == nil)
    for width in [180, 192, 512] {
      #expect(app.icon(width)?.bytes.prefix(4) == [0x89, 0x50, 0x4E, 0x47])
    }
    #expect(app.icon(64) == nil)
  }

  @Test func `scripts make no markup, and ask nobody but this server`() throws {
    for script in Self.scripts {
      for word in [
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "http://",
        "https://",
      ]
      where script.text.contains(word) {
        // The namespace of SVG is a name, not an address.
        #expect(
          word == "http://" && script.text.contains("http://www.w3.org/2000/svg"),
          "\(script.name): \(word)"
        )
      }
    }
  }
}
