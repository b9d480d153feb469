import EndToEndFixtures
import Foundation
import Testing

/// The operator's guide, executed from the first page to the last, and its command lines.
@Suite(.serialized, .timeLimit(.minutes(60))) struct OperatorGuideTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The pages in the order of the index, in which their blocks are run.
  private static func pages() throws -> [String] {
    let index = try text("deploy/guide/README.md")
    return index.components(separatedBy: "](").dropFirst().compactMap { part in
      let name = part.prefix { $0 != ")" }
      return name.hasSuffix(".md") && !name.contains("/") ? "deploy/guide/\(name)" : nil
    }
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The contents of a page's code blocks with one of these languages.
  private static func blocks(_ text: String, _ languages: [String]) -> [String] {
    languages.flatMap { language in
      text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
        $0.components(separatedBy: "\n```").first
      }
    }
  }

  @Test func `every block of the guide works as printed`() async throws {
    let pages = try Self.pages()
    #expect(pages.count == 29)
    var script = "set -e -o pipefail\nunset FETTLE_COMPANY\nexport USER=tester\n"
    for page in pages {
      for (number, block) in Self.blocks(try Self.text(page), ["sh"]).enumerated() {
        script += "echo '# \(page) block \(number + 1)'\n\(block)\n"
      }
    }
    try await Shell.embedded { shell in
      let outcome = try await shell.bash(script)
      #expect(outcome.status == 0, "\(outcome.output.suffix(400))\n\(outcome.errors.suffix(2_000))")
    }
  }

  @Test func `every command line of the documentation is one that the command accepts`() async throws {
    let grammar = try await JSONDecoder().decode(CommandGrammar.self, from: FettleProcess.grammar()).command
    let pages =
      try ["README.md", "CONTRIBUTING.md", "sql/examples/README.md", "deploy/guide/README.md"] + Self.pages()
    var count = 0
    for page in pages {
      let text = try Self.text(page)
      let prose = Self.blocks("\n" + text, ["sh", "text", "ini"]).reduce(text) { $0.replacing($1, with: "") }
      let inline = prose.components(separatedBy: "`").enumerated()
        .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
      for line in CommandGrammar.lines(in: Self.blocks(text, ["sh", "text"]) + inline) {
        // Nouns of the example app exist once it is installed; GuideTests runs them.
        if ["tree", "harvest"].contains(line.first) { continue }
        count += 1
        #expect(grammar.fault(in: line) == nil, "\(page): fettle \(line.joined(separator: " "))")
      }
    }
    #expect(count > 150)
  }

  @Test func `every command named in a message, hint or comment exists`() async throws {
    let grammar = try await JSONDecoder().decode(CommandGrammar.self, from: FettleProcess.grammar()).command
    let sources = Self.root.appending(path: "Sources")
    var count = 0
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for part in text.components(separatedBy: "`fettle ").dropFirst() {
        // Up to the closing backtick; an interpolated word is a value.
        let line = part.prefix { $0 != "`" && $0 != "\n" }.components(separatedBy: "\\(")[0]
        for words in CommandGrammar.lines(in: ["fettle \(line)"]) {
          count += 1
          #expect(grammar.fault(in: words) == nil, "\(file.lastPathComponent): fettle \(line)")
        }
      }
    }
    #expect(count > 50)
  }

  @Test func `a command line with an unknown word is found`() async throws {
    let grammar = try await JSONDecoder().decode(CommandGrammar.self, from: FettleProcess.grammar()).command
    for line in [
      "quue stats", "queue stat", "queue stats --speed", "doctor --fix", "entry do start WO-1 --az ana",
    ] {
      let words = line.split(separator: " ").map(String.init)
      #expect(grammar.fault(in: words) != nil, "\(line)")
    }
  }
}
