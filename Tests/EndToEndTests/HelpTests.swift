import EndToEndFixtures
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct HelpTests {
  @Test func `every command's help has an example`() async throws {
    let commands = try await CommandTree.load()
    #expect(commands.count > 40)
    for command in commands {
      #expect(command.discussion.contains("Example"), "\(command.path) has no example")
      #expect(!command.abstract.isEmpty, "\(command.path) does not say what it does")
    }
  }

  @Test func `help speaks in imperatives and noun phrases, short and without a full stop`() async throws {
    let questions = [
      "A", "An", "The", "What", "Who", "Whom", "Whose", "How", "When", "Where", "Which", "Why",
    ]
    for command in try await CommandTree.load() {
      #expect(command.abstract.count <= 60, "\(command.path): \(command.abstract)")
      for text in [command.abstract] + command.helps {
        #expect(!text.hasSuffix("."), "\(command.path): \(text)")
        #expect(
          !text.contains("Default:") && !text.contains(/\(default [^:)]*\)/),
          "\(command.path): \(text)"
        )
      }
      let first = command.abstract.split(separator: " ").first.map(String.init) ?? ""
      #expect(!questions.contains(first), "\(command.path): \(command.abstract)")
      for help in command.helps {
        let first = help.split { !$0.isLetter }.first.map(String.init) ?? ""
        #expect(!questions.dropFirst(3).contains(first), "\(command.path): \(help)")
      }
    }
  }

  @Test func `every example is a command that exists`() async throws {
    let commands = try await CommandTree.load()
    let paths = Set(commands.map(\.path))
    for command in commands {
      for example in command.examples {
        let words = example.split(separator: " ").prefix {
          $0.allSatisfy { $0.isLetter || $0 == "-" } && $0.first != "-"
        }
        let isKnown = (1...max(1, words.count)).contains {
          paths.contains(words.prefix($0).joined(separator: " "))
        }
        #expect(isKnown && words.count > 1, "\(command.path): \(example)")
        guard words.count > 1 else { continue }
        #expect(paths.contains(words.prefix(2).joined(separator: " ")), "\(command.path): \(example)")
      }
    }
  }

  @Test func `the help of a webhook says how its secret becomes the key`() async throws {
    let command = try #require(try await CommandTree.load().first { $0.path.hasSuffix("webhook add") })
    let text = command.discussion.replacing("\n", with: " ")
    #expect(text.contains("secret decoded from hex: 32 bytes"))
  }

  @Test func `no example is torn apart on a terminal of eighty columns`() async throws {
    for command in try await CommandTree.load() {
      for line in command.discussion.split(separator: "\n")
      where line.hasPrefix("  ") || line.hasPrefix("Example") {
        #expect(line.count <= 80, "\(command.path): \(line)")
      }
    }
  }

  @Test func `no secret is taken on the command line`() async throws {
    // The code of a machine is not secret.
    for command in try await CommandTree.load() where !command.path.hasPrefix("fettle machine ") {
      let secrets = command.values.filter { name in
        ["code", "password", "secret", "pepper"].contains { name.contains($0) } && !name.hasSuffix("-file")
      }
      #expect(secrets.isEmpty, "\(command.path) takes \(secrets)")
    }
  }

  @Test(arguments: [
    ("compny", "fettle company"), ("company crate", "fettle company create"),
    ("member lst", "fettle member list"), ("invite redem", "fettle invite redeem"),
  ])
  func `a mistyped command gets a suggestion`(typed: String, meant: String) async throws {
    let words = typed.split(separator: " ").map(String.init)
    let outcome = try await FettleProcess.run(FettleProcess.executable, words)
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("hint: did you mean \(meant)?"))
  }

  @Test(arguments: [
    ("record patch", "fettle record update"), ("entry edit", "fettle entry update"),
    ("machine rm", "fettle machine delete"), ("member rm", "fettle member remove"),
    ("machine new", "fettle machine add"), ("company add", "fettle company create"),
    ("role ls", "fettle role list"), ("entry get", "fettle entry show"), ("job rerun", "fettle job retry"),
    ("device list", "fettle sync devices"), ("user list", "fettle member"),
    ("webhook new", "fettle webhook add"),
  ])
  func `a word that other programs use for a command gets a suggestion`(typed: String, meant: String)
    async throws
  {
    let words = typed.split(separator: " ").map(String.init)
    let outcome = try await FettleProcess.run(FettleProcess.executable, words)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("hint: did you mean \(meant)?"), "\(outcome.errors)")
  }

  @Test func `prose fills lines of eighty columns, and a usage is one line`() async throws {
    let restore = try await FettleProcess.run("restore", "--help").output
    let lines = restore.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix("The folder is an installation") })
    let prose = lines[start...].prefix { !$0.isEmpty }
    #expect(
      prose.count > 2 && prose.allSatisfy { $0.count <= 80 } && prose.dropLast().allSatisfy { $0.count > 60 }
    )
    for words in [["report", "run"], ["file", "list"], ["invite", "redeem"]] {
      let help = try await FettleProcess.run(FettleProcess.executable, words + ["--help"]).output
      let usage = try #require(help.split(separator: "\n").first { $0.hasPrefix("USAGE: ") })
      #expect(usage.hasPrefix("USAGE: fettle \(words.joined(separator: " ")) [<options>] "), "\(usage)")
      #expect(usage.count <= 80 && help.contains("\n\(usage)\n\n"), "\(help)")
    }
  }

  @Test func `what is said about an option is in one column, its default in parentheses at the end`()
    async throws
  {
    for words in [
      ["up"], ["work"], ["meter", "read"], ["psql"], ["record", "import", "file"], ["entry", "do"],
    ] {
      let help = try await FettleProcess.run(FettleProcess.executable, words + ["--help"]).output
      let options = help.split(separator: "OPTIONS:\n").dropFirst().joined(separator: "\n")
      for line in options.split(separator: "\n")
      where !line.hasSuffix("OPTIONS:") && !line.hasPrefix("SHARED") {
        let isBeside = line.prefix { $0 == " " }.count == 26
        #expect(line.hasPrefix("  -") || isBeside, "\(words): \(line)")
        #expect(!line.contains("Default:"), "\(words): \(line)")
      }
    }
  }

  @Test func `an option of the name --version is the only one of its help`() async throws {
    for words in [["workflow", "show"], ["workflow", "activate"], ["company"]] {
      let help = try await FettleProcess.run(FettleProcess.executable, words + ["--help"]).output
      #expect(help.matches(of: /\n +--version\s/).count == 1, "\(help)")
    }
  }

  @Test func `a usage names each thing once`() async throws {
    for words in [["plan", "add"], ["meter", "read"], ["up"]] {
      let help = try await FettleProcess.run(FettleProcess.executable, words + ["--help"]).output
      let usage = help.split(separator: "USAGE: ").last?.prefix { $0 != "\n" } ?? ""
      #expect(usage.split(separator: "<options>", omittingEmptySubsequences: false).count == 2, "\(usage)")
      #expect(usage.hasPrefix("fettle \(words.joined(separator: " ")) [<options>]"), "\(usage)")
      #expect(usage.count <= 80, "\(usage)")
    }
  }

  /// Last words of commands that change nothing.
  private static let reading: Set = [
    "list", "show", "history", "verify", "explain", "search", "permissions", "readings", "day", "range",
    "current",
    "daily", "recordings", "export", "types", "comments", "lint", "status", "devices", "conflicts", "watch",
    "stats", "next", "deliveries", "document", "check-provider", "test", "metrics", "diff", "used", "doctor",
    "psql", "version", "completion", "manual", "get", "open", "console", "serve", "work", "up", "down",
  ]
  /// Commands that a repetition does nothing to, or that go on where they were interrupted: they set a state, write a file,
  /// leave out what they have done, or are an operator's work on the installation.
  private static let repeatable: Set = [
    "migrate", "key accept", "demo make", "demo load", "demo refresh", "backup init", "backup run",
    "backup schedule",
    "restore", "postgres upgrade", "postgres revert", "company import", "company erase", "company quota",
    "company numbers", "company settings", "member disable", "member enable", "member remove-second-factor",
    "member password-link",
    "person erase", "invite redeem", "apply", "app install", "app upgrade", "app uninstall", "entry import",
    "record import file", "record repair", "solar sample add", "solar sample import", "workflow install",
    "workflow activate", "sync epoch", "queue pause", "queue resume", "queue limit", "queue maintain",
    "report run",
    "inbox preferences",
  ]

  @Test func `every other command that creates, changes or deletes something takes an idempotency key`()
    async throws
  {
    let commands = try await CommandTree.load()
    let paths = commands.map(\.path)
    var lacking: Set<String> = []
    for command in commands where !paths.contains(where: { $0.hasPrefix(command.path + " ") }) {
      let path = String(command.path.dropFirst("fettle ".count))
      let isReading =
        path != "record watch" && Self.reading.contains(String(path.split(separator: " ").last ?? ""))
      if !isReading, !command.values.contains("idempotency-key") { lacking.insert(path) }
    }
    #expect(lacking == Self.repeatable)
  }

  @Test func `a hint fits a few lines of a terminal`() async throws {
    let unknown = try await FettleProcess.run("xyzzy")
    #expect(unknown.status == 64 && unknown.errors.contains("hint: list the commands with `fettle --help`"))
    for noun in Set(
      try await CommandTree.load().map { $0.path.split(separator: " ").dropFirst().first ?? "" }
    ) {
      let outcome = try await FettleProcess.run(FettleProcess.executable, [String(noun), "xyzzy"])
      #expect(outcome.errors.count < 400, "\(outcome.errors)")
    }
  }

  @Test func `a command without a database says how to get one`() async throws {
    let outcome = try await FettleProcess.run("company", "list")
    #expect(outcome.status == 7)
    #expect(outcome.errors.hasPrefix("error[unavailable]: "))
    #expect(outcome.errors.contains("\nhint: run `fettle up`"))
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `the completion script of a shell knows every command`(shell: String) async throws {
    let script = try await FettleProcess.run("completion", shell)
    #expect(script.status == 0)
    for command in try await CommandTree.load() {
      let name = command.path.split(separator: " ").last.map(String.init) ?? ""
      #expect(script.output.contains(name), "\(command.path)")
    }
  }

  @Test func `bash can read its completion script`() async throws {
    let script = try await FettleProcess.run("completion", "bash").output
    // In a file, since it exceeds the maximum length of an argument.
    let name = "fettle-completion-\(UUID().uuidString)"
    let file = FileManager.default.temporaryDirectory.appending(path: name)
    try Data(script.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }  // a leftover temporary file is harmless
    let checked = try await FettleProcess.run(URL(filePath: "/bin/bash"), ["-n", file.path])
    #expect(checked.status == 0, "\(checked.errors)")
  }
}

/// The commands as the argument parser describes them.
struct CommandTree: Decodable {
  /// A command with its full path.
  struct Command {
    let path: String
    let abstract: String
    let discussion: String
    /// Names of arguments and options that take a value.
    let values: [String]
    /// The help texts of its arguments, options and flags, without the parser's own.
    let helps: [String]

    /// The example command lines of its discussion.
    var examples: [String] {
      discussion.split(separator: "\n").compactMap { line in
        let text = line.drop { $0 == " " }
        for lead in ["fettle ", "Example: fettle "] where text.hasPrefix(lead) {
          return String(text.dropFirst(lead.count - "fettle ".count))
        }
        return nil
      }
    }
  }

  private struct Node: Decodable {
    let commandName: String
    let abstract: String?
    let discussion: String?
    let subcommands: [Node]?
    let arguments: [Argument]?
  }

  private struct Argument: Decodable {
    let kind: String
    let valueName: String?
    let names: [Name]?
    let preferredName: Name?
    let abstract: String?

    struct Name: Decodable {
      let name: String
    }
  }

  private let command: Node

  /// All commands and subcommands except the parser's own `help`.
  static func load() async throws -> [Command] {
    let tree = try await JSONDecoder().decode(CommandTree.self, from: FettleProcess.grammar())
    return commands(under: tree.command, path: [])
  }

  private static func commands(under node: Node, path: [String]) -> [Command] {
    guard node.commandName != "help" else { return [] }
    let path = path + [node.commandName]
    let taking = (node.arguments ?? []).filter { $0.kind != "flag" }
    let here = Command(
      path: path.joined(separator: " "),
      abstract: node.abstract ?? "",
      discussion: node.discussion ?? "",
      values: taking.map { $0.preferredName?.name ?? $0.valueName ?? "" },
      helps: (node.arguments ?? []).filter { !["help", "version"].contains($0.preferredName?.name) }
        .compactMap(\.abstract)
    )
    return [here] + (node.subcommands ?? []).flatMap { commands(under: $0, path: path) }
  }
}
