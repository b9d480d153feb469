import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// Completions and manual pages in the programs that read them, if those are installed.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ShellCompletionTests {
  private static func has(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: program)
  }

  @Test(.enabled(if: has("/usr/bin/fish")))
  func `fish offers commands and options`() async throws {
    try await working { shell in
      let script = try await shell.done("completion", "fish").output
      let file = try shell.file("fettle.fish", script)
      // Names from the database need the command line of an interactive fish.
      for (line, expected) in Self.lines.prefix(3) {
        let outcome = try await shell.program(
          "/usr/bin/fish",
          ["--no-config", "-c", "source \(file); complete -C '\(line)'"]
        )
        #expect(outcome.output.contains(expected), "\(line): \(outcome.output) \(outcome.errors)")
      }
    }
  }

  @Test(.enabled(if: has("/usr/bin/fish")))
  func `fish parses a command line a few times, not once for each option of each command`() async throws {
    try await working { shell in
      let script = try await shell.done("completion", "fish").output
      let file = try shell.file(
        "counted.fish",
        script + """
          functions --copy __fettle_tokens __fettle_counted_tokens
          function __fettle_tokens
              set -g count (math $count + 1)
              __fettle_counted_tokens $argv
          end
          set -g count 0
          complete -C 'fettle entry list --st'
          echo parsed $count

          """
      )
      let outcome = try await shell.program("/usr/bin/fish", ["--no-config", file])
      let count = outcome.output.split(separator: "\n").last?.split(separator: " ").last.flatMap { Int($0) }
      #expect(outcome.output.contains("--status"), "\(outcome.output) \(outcome.errors)")
      // About as often as the command has options.
      #expect((1...60).contains(try #require(count)), "\(outcome.output)")
    }
  }

  @Test(.enabled(if: has("/usr/bin/zsh")))
  func `zsh offers commands, options and names from the database`() async throws {
    try await working { shell in
      try Data(try await shell.done("completion", "zsh").output.utf8)
        .write(to: shell.folder.appending(path: "_fettle"))
      let driver = try shell.file("complete.zsh", Self.zsh)
      for (line, expected) in Self.lines {
        let outcome = try await shell.program(
          "/usr/bin/zsh",
          ["-f", driver, shell.folder.path, line, expected]
        )
        #expect(outcome.output.contains(expected), "\(line): \(outcome.output) \(outcome.errors)")
      }
    }
  }

  @Test func `bash offers commands, options and names from the database`() async throws {
    try await working { shell in
      let file = try shell.file("fettle.bash", try await shell.done("completion", "bash").output)
      for (line, expected) in Self.lines {
        let outcome = try await shell.program(
          "/bin/bash",
          [
            "-c",
            """
            source \(file)
            COMP_LINE='\(line)' COMP_POINT=${#COMP_LINE}
            read -ra COMP_WORDS <<< "$COMP_LINE"
            [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _fettle fettle "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """,
          ]
        )
        #expect(outcome.output.contains(expected), "\(line): \(outcome.output) \(outcome.errors)")
      }
    }
  }

  @Test func `manual pages of all commands are written, and mandoc finds nothing wrong`() async throws {
    try await Shell.open { shell in
      let folder = "\(shell.folder.path)/man1"
      try await shell.done("manual", "--install", folder)
      let pages = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(pages.count == (try await CommandTree.load().count))
      #expect(pages.contains("fettle.1") && pages.contains("fettle-entry-list.1"))
      let page = try await shell.done("manual", "entry", "list").output
      #expect(page.contains(".Dt FETTLE-ENTRY-LIST 1\n") && page.contains(".Fl \\-machine") == false)
      #expect(page.contains("Fl \\-machine Ar machine"))
      guard Self.has("/usr/bin/mandoc") else { return }
      let lint = try await shell.bash("mandoc -T lint -W error \(folder)/*.1")
      #expect(lint.status == 0, "\(lint.output.prefix(2_000))")
    }
  }

  /// A typed line, and one of its expected completions.
  private static let lines = [
    ("fettle entr", "entry"), ("fettle entry li", "list"), ("fettle entry list --mach", "--machine"),
    ("fettle entry list --company ", "acme"), ("fettle entry list --company acme --status ", "in_progress"),
    ("fettle entry list --company acme --machine ", "RM-001"),
    ("fettle queue pause ", "default"), ("fettle member role ", "eva"),
    ("fettle webhook add x --event ", "maintenance.entry.completed"),
    ("fettle record show maintenance.machine ", "RM-001"),
  ]

  /// Types a line and a tab into an interactive zsh, and prints what follows until the expected text has come.
  /// A busy machine may answer seconds later, so silence is no end.
  private static let zsh = """
    zmodload zsh/zpty
    zpty terminal zsh -f -i
    send() { zpty -w terminal "$1" }
    send "PS1='> '; fpath=($1 \\$fpath); autoload -U compinit; compinit -u -D; LISTMAX=10000; setopt nobeep"
    send "zstyle ':completion:*' list-prompt ''; zstyle ':completion:*' menu no; setopt autolist; unsetopt listambiguous"
    send "print ready-\\$((1+1))"
    while zpty -r terminal text '*ready-2*'; do [[ $text == *ready-2* ]] && break; done
    zpty -w -n terminal "$2"$'\\t\\t'
    end=$((SECONDS + 60))
    found=
    while ((SECONDS < end)) && [[ $found != *"$3"* ]]; do
      if zpty -r -t terminal chunk; then found+=$chunk; else sleep 0.05; fi
    done
    print -r -- "$found"
    zpty -d terminal
    """

  private func working(_ body: (Shell) async throws -> Void) async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("machine", "add", "RM-001")
      // Shells call the program by its name.
      let bin = shell.folder.appending(path: "bin")
      try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        at: bin.appending(path: "fettle"),
        withDestinationURL: FettleProcess.executable
      )
      var environment = shell.environment
      environment["PATH"] = "\(bin.path):/usr/bin:/bin"
      environment["HOME"] = shell.folder.path
      environment["TERM"] = "dumb"
      try await body(Shell(folder: shell.folder, environment: environment))
    }
  }
}
