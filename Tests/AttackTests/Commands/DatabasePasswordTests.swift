import EndToEndFixtures
import Foundation
import Testing

/// Passwords of the database on command lines and in messages.
@Suite(.serialized, .timeLimit(.minutes(60))) struct DatabasePasswordTests {
  private static let secret = "tops3cret"

  @Test(arguments: [
    "postgres://fettle_admin:tops3cret@127.0.0.1:1/fettle",
    "postgresql://fettle_admin@127.0.0.1:1/fettle?password=tops3cret",
    "postgresql://127.0.0.1:1/fettle?p%61ssword=tops3cret", "host=127.0.0.1 port=1 password=tops3cret",
    "host=127.0.0.1 port=1 password = 'tops3cret'", "host=127.0.0.1 port=1 sslpassword=tops3cret",
  ])
  func `a password on the command line is refused, with other ways to give one`(url: String) async throws {
    for words in [["company", "list"], ["work"], ["doctor"], ["psql"], ["migrate"]] {
      for argument in [["--database", url], ["--database=\(url)"]] {
        let outcome = try await FettleProcess.run(FettleProcess.executable, words + argument)
        #expect(outcome.status == 64, "\(words): \(outcome.errors)")
        #expect(!outcome.errors.contains(Self.secret), "\(words): \(outcome.errors)")
        for way in ["PGPASSWORD", "service file", ".pgpass", "--ask-password"] {
          #expect(outcome.errors.contains(way), "\(words): \(outcome.errors)")
        }
      }
    }
  }

  @Test(arguments: [
    "postgres://fettle_admin:tops3cret@127.0.0.1:1/fettle", "postgres://x:tops3cret@[broken/fettle",
    "postgres://x:tops3cret@h/db?nonsense=1", "password=tops3cret host", "password='tops3cret",
    "nonsense=1 password=tops3cret",
  ])
  func `no error quotes the URL in the environment`(url: String) async throws {
    for variable in ["DATABASE_URL", "FETTLE_DIRECT_URL"] {
      var environment = [variable: url]
      if variable == "FETTLE_DIRECT_URL" { environment["DATABASE_URL"] = "postgres://127.0.0.1:1/fettle" }
      for words in [["company", "list"], ["work"], ["psql"], ["entry", "list", "-o", "json"]] {
        let outcome = try await FettleProcess.run(FettleProcess.executable, words, environment)
        #expect(outcome.status != 0, "\(words)")
        let said = outcome.errors + outcome.output
        #expect(!said.contains(Self.secret), "\(variable) \(words): \(said)")
      }
    }
  }

  @Test(arguments: [
    "entry list postgres://x:tops3cret@h/db", "compny postgres://x:tops3cret@h/db",
    "entry postgres://x:tops3cret@h/db", "company list --datbase postgres://x:tops3cret@h/db",
    "company list --sort=postgres://x:tops3cret@h/db",
  ])
  func `no usage error quotes a URL in the wrong place`(line: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    let outcome = try await FettleProcess.run(FettleProcess.executable, words)
    #expect(outcome.status != 0)
    #expect(!outcome.errors.contains(Self.secret), "\(outcome.errors)")
  }

  @Test func `psql gets a password in its environment, not on its command line`() async throws {
    try await Shell.open { shell in
      // A psql that shows how it was started, and the password that it was given.
      let folder = shell.folder.appending(path: "bin")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let script = "#!/bin/sh\necho \"arguments: $*\"\necho \"password: $PGPASSWORD\"\n"
      let program = folder.appending(path: "psql")
      try Data(script.utf8).write(to: program)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
      let parts = [("host", "PGHOST"), ("port", "PGPORT"), ("dbname", "PGDATABASE")]
      let place = parts.compactMap { name, variable in shell.environment[variable].map { "\(name)=\($0)" } }
      var environment = shell.environment.filter { !$0.key.hasPrefix("PG") }
      environment["DATABASE_URL"] = (place + ["password=\(Self.secret)"]).joined(separator: " ")
      environment["PATH"] = "\(folder.path):/usr/bin:/bin"
      let outcome = try await Shell(folder: shell.folder, environment: environment).done("psql")
      let lines = outcome.output.split(separator: "\n").map(String.init)
      let arguments = try #require(lines.first { $0.hasPrefix("arguments: ") })
      #expect(!arguments.contains(Self.secret), "\(arguments)")
      #expect(lines.contains("password: \(Self.secret)"))
    }
  }
}
