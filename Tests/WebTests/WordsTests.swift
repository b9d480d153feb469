import Domain
import FoundationEssentials
import Testing
import Web
import WebFiles

@Suite struct WordsTests {
  private static func files(_ language: String) throws -> [String: [String: String]] {
    var files: [String: [String: String]] = [:]
    for file in WebFiles.below("words") where file.name.hasSuffix(".\(language).strings") {
      files[file.name.split(separator: ".").first.map(String.init) ?? ""] =
        try StringsFile(parsing: file.text).texts
    }
    return files
  }

  @Test func `the words of pages are in every language, with the same values in them`() throws {
    let english = try #require(try Self.files("en")["console"])
    let swedish = try #require(try Self.files("sv")["console"])
    #expect(english.count > 150)
    #expect(Set(english.keys) == Set(swedish.keys))
    for (key, text) in english {
      func places(_ text: String?) -> Int {
        (text ?? "").split(separator: "%@", omittingEmptySubsequences: false).count
      }
      #expect(places(text) == places(swedish[key]), "\(key)")
      #expect(!text.isEmpty, "\(key)")
    }
  }

  @Test func `every word that the pages name exists`() throws {
    let known = Words.english.keys
    var missing: Set<String> = []
    for path in try SourceFolder.files("Console") {
      let source = try SourceFolder.text(path)
      for match in source.matches(of: /words\("([a-z][a-z.-]*)"/) where !known.contains(String(match.1)) {
        missing.insert(String(match.1))
      }
      for match in source.matches(of: /words\.count\("([a-z.-]+)"/) {
        for form in ["one", "other"] where !known.contains("\(match.1)#\(form)") {
          missing.insert("\(match.1)#\(form)")
        }
      }
    }
    #expect(missing.isEmpty, "\(missing.sorted())")
  }

  @Test func `every action of the audit has Swedish words`() throws {
    let written =
      #/
      (?:action:|audit\(|credential\(|entry\(|write\(|change\(acting,)\s*
      (?:is[A-Z][a-z]+\ \?\ )?"([a-z.]+\.[a-z_]+)"
      /#
    var actions: Set<String> = []
    for target in ["Apps", "Engine", "Jobs", "Store"] {
      for path in try SourceFolder.files(target) {
        for match in try SourceFolder.text(path).matches(of: written) { actions.insert(String(match.1)) }
      }
    }
    #expect(actions.count > 60)
    let missing = actions.filter { Words.of(.swedish).known("audit.\($0)") == nil }
    #expect(missing.isEmpty, "\(missing.sorted())")
  }

  @Test func `values fill the places in order, and numbers choose the form`() {
    let words = Words.of(.english)
    #expect(words("form.edit", "work order", "WO-1%@") == "Change work order WO-1%@")
    #expect(words.count("list.count", 1) == "1 record")
    #expect(words.count("list.count", 12_345) == "12,345 records")
    #expect(Words.of(.swedish).count("list.count", 12_345) == "12\u{202F}345 poster")
    #expect(words("no.such.key") == "no.such.key")
  }

  @Test func `a message is said with its values, by the longest template that fits`() {
    func said(_ message: String) -> String? {
      Words.of(.swedish).said(message) { $0 == "machine" ? "maskin" : nil }
    }
    #expect(said("there is no machine \"A\"") == "maskin ”A” finns inte")
    #expect(
      said("there is no machine \"machine\", did you mean A?") == "maskin ”machine” finns inte, menas A?"
    )
    #expect(said("there is no membership \"ana\"") == "medlem ”ana” finns inte")
    #expect(said("\"1,5\" is not a number with a decimal point") == "”1,5” är inget tal med decimalpunkt")
    #expect(said("\"is not a number\" is not a number") == "”is not a number” är inget tal")
    #expect(said("the line has 1 field, the heading has 5") == "raden har 1 fält, rubriken har 5")
    #expect(said("\"WO-1\" is in line 2 too") == "”WO-1” finns på rad 2 också")
    #expect(said("the file is compressed with gzip") == "filen är komprimerad med gzip")
    #expect(said("nothing like it") == nil && said("") == nil && said("\"\" is not a number") != nil)
    #expect(Words.english.said("\"a\" is not a number") { _ in nil } == nil)
  }

  @Test(arguments: ["\"a\" = \"b\"", "a = b;", "\"a\" = \"b\";\n\"a\" = \"c\";", "\"a = \"b\";"])
  func `a file of words with a wrong line is refused`(_ text: String) {
    #expect(throws: StringsFile.Fault.self) { try StringsFile(parsing: text) }
  }

  @Test func `a file of words has comments, escapes and empty lines`() throws {
    let file = try StringsFile(parsing: "/* one\n   two */\n\n\"a\" = \"b \\\"c\\\" \\n %@\";\n")
    #expect(file.texts == ["a": "b \"c\" \n %@"])
  }
}

/// The sources of the package.
enum SourceFolder {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources")

  /// The paths of the Swift files of a target.
  static func files(_ target: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: target).path())
      .filter { $0.hasSuffix(".swift") }.map { "\(target)/\($0)" }
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
