import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// The key file of a database, and processes with another one.
@Suite(.serialized, .timeLimit(.minutes(60))) struct KeyTests {
  /// A shell of the same database with a home of its own, as in another folder.
  private func elsewhere(_ shell: Shell, _ name: String) throws -> Shell {
    let home = shell.folder.appending(path: name)
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
    var environment = shell.environment
    environment["FETTLE_HOME"] = home.path
    return Shell(folder: home, environment: environment)
  }

  @Test func `the first process makes the key and says where, and nothing makes a second one`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      // A command that needs no key makes none.
      #expect(!FileManager.default.fileExists(atPath: "\(shell.folder.path)/fettle.key"))
      let first = try await shell.done("invite", "create", "--role", "user", "--company", "acme")
      #expect(first.errors.contains("created the key file \(shell.folder.path)/fettle.key"))
      let shown = try await shell.rows("key", "show")
      #expect(shown.first?["path"] as? String == "\(shell.folder.path)/fettle.key")
      #expect(shown.first?["state"] as? String == "ok")

      let other = try elsewhere(shell, "other")
      for command in [["invite", "create", "--role", "user"], ["serve", "--listen", "0"], ["work"]] {
        let refused = try await other.fettle(arguments: command)
        #expect(refused.status == 6, "\(command): \(refused.errors)")
        #expect(refused.errors.contains("there is no key file at \(other.folder.path)/fettle.key"))
        #expect(refused.errors.contains("FETTLE_KEY_FILE"))
      }
      #expect(!FileManager.default.fileExists(atPath: "\(other.folder.path)/fettle.key"))
      // What needs no key works there.
      _ = try await other.done("member", "list", "--company", "acme")
    }
  }

  @Test func `a process with the keys of another database refuses, and doctor says so`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      _ = try await shell.done("invite", "create", "--role", "user", "--company", "acme")
      let other = try elsewhere(shell, "other")
      try await Shell.open { stranger in
        try await stranger.makeCompany()
        _ = try await stranger.done("invite", "create", "--role", "user", "--company", "acme")
        try FileManager.default.copyItem(
          atPath: "\(stranger.folder.path)/fettle.key",
          toPath: "\(other.folder.path)/fettle.key"
        )
      }
      for command in [["invite", "create", "--role", "user"], ["serve", "--listen", "0"], ["work"]] {
        let refused = try await other.fettle(arguments: command)
        #expect(refused.status == 6, "\(command): \(refused.errors)")
        #expect(refused.errors.contains("is not that of this database"), "\(refused.errors)")
      }
      let doctor = try await other.fettle("doctor", "--output", "json")
      #expect(doctor.status == 1 && doctor.output.contains("is not that of this database"))
      let shown = try await other.fettle("key", "show")
      #expect(shown.status == 8 && shown.output.contains("is not that of this database"), "\(shown.errors)")
      // The lost key: an operator accepts the new one, and the former is the wrong one from then on.
      _ = try await other.done("key", "accept")
      _ = try await other.done("invite", "create", "--role", "user", "--company", "acme")
      let former = try await shell.fettle("invite", "create", "--role", "user", "--company", "acme")
      #expect(former.status == 6 && former.errors.contains("is not that of this database"))
    }
  }

  @Test func `a command with an idempotency key, repeated, shows the first secret again`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let command = ["invite", "create", "--role", "user", "--company", "acme", "--idempotency-key", "once"]
      let first = try await shell.fettle(arguments: command)
      let second = try await shell.fettle(arguments: command)
      #expect(first.status == 0 && second.status == 0, "\(second.errors)")
      #expect(first.output == second.output && !first.output.isEmpty)
      #expect(try await shell.rows("invite", "list", "--company", "acme").count == 1)
      let other = try await shell.fettle(
        arguments: ["invite", "create", "--role", "viewer", "--company", "acme", "--idempotency-key", "once"]
      )
      #expect(other.status == 5 && other.errors.contains("another request"), "\(other.errors)")
      for command in [
        ["token", "create", "ci", "--scope", "report.read", "--as", "eva", "--company", "acme"],
        ["schedule", "run", "history.seal", "--company", "acme"],
        ["member", "add", "bo@acme.example", "--role", "user", "--company", "acme"],
        ["company", "create", "second", "--owner", "eva@acme.example"],
      ] {
        let answers = try await (
          shell.fettle(arguments: command + ["--idempotency-key", "k-\(command[0])"]),
          shell.fettle(arguments: command + ["--idempotency-key", "k-\(command[0])"])
        )
        #expect(answers.0.status == 0 && answers.1.status == 0, "\(command): \(answers.1.errors)")
        #expect(answers.0.output == answers.1.output, "\(command)")
      }
    }
  }

  @Test func `commands that create something, repeated with their key, answer as at first`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let acme = ["--company", "acme"]
      for command in [
        ["machine", "add", "RM-001"], ["meter", "add", "Hours", "--machine", "RM-001", "--unit", "h"],
        ["solar", "site", "add", "Roof"],
        ["entry", "add", "Hose", "--machine", "RM-001", "--category", "Engine"],
        ["trip", "add", "Lofoten", "--as", "eva"],
      ] { #expect(try await shell.fettle(arguments: command + acme).status == 0, "\(command)") }
      try Data([0xFF, 0xD8, 0xFF]).write(to: shell.folder.appending(path: "pump.jpg"))
      for (index, command) in [
        // Times that the command takes from the clock are no part of the request.
        ["meter", "read", "Hours", "7", "--machine", "RM-001"],
        ["solar", "record", "Roof", "3.2"],
        ["time", "add", "WO-1001", "--from", "00:00", "--to", "00:01", "--guest", "Per"],
        ["role", "define", "painter", "--permission", "maintenance.machine.read"],
        ["schedule", "add", "report.weekly", "report.print", "--cron", "0 6 * * 1", "--new-kind"],
        ["entitlement", "grant", "pro"],
        ["collection", "save", "Garage", "--filter", "location=Garage", "--as", "eva"],
        ["trip", "share", "add", "Lofoten", "--as", "eva"],
        ["trip", "copy", "Lofoten", "--title", "Again", "--as", "eva"],
        ["file", "add", "maintenance.machine", "RM-001", "\(shell.folder.path)/pump.jpg"],
      ].enumerated() {
        let keyed = command + acme + ["--idempotency-key", "k-\(index)"]
        let first = try await shell.fettle(arguments: keyed)
        try await Task.sleep(for: .milliseconds(1_100))
        let second = try await shell.fettle(arguments: keyed)
        #expect(first.status == 0 && second.status == 0, "\(command): \(first.errors) \(second.errors)")
        #expect(first.output == second.output, "\(command)")
      }
    }
  }

  @Test func `commands that end something, repeated with their key, answer as at first`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["bo": "user"])
      let acme = ["--company", "acme"]
      let code = try await shell.rows("invite", "create", "--role", "user", "--company", "acme")
      for command in [
        ["role", "define", "painter", "--permission", "maintenance.machine.read"],
        ["role", "define", "other", "--permission", "maintenance.machine.read"],
        ["token", "create", "ci", "--scope", "report.read", "--as", "eva"],
        ["schedule", "add", "report.weekly", "report.print", "--cron", "0 6 * * 1", "--new-kind"],
        ["entitlement", "grant", "pro"], ["machine", "add", "RM-001"],
        ["webhook", "add", "https://1.1.1.1/fettle", "--event", "maintenance.entry.completed"],
      ] {
        let made = try await shell.fettle(arguments: command + acme)
        #expect(made.status == 0, "\(command): \(made.errors)")
      }
      let invite = try #require(code.first?["id"] as? String)
      for (index, command) in [
        ["role", "delete", "painter"], ["token", "revoke", "ci"], ["invite", "revoke", invite],
        ["schedule", "pause", "report.weekly"], ["schedule", "remove", "report.weekly"],
        ["entitlement", "revoke", "pro"], ["webhook", "rotate", "https://1.1.1.1/fettle"],
        ["webhook", "remove", "https://1.1.1.1/fettle"], ["member", "remove", "bo"],
        ["record", "watch", "maintenance.machine", "RM-001", "--as", "eva"],
      ].enumerated() {
        let keyed = command + acme + ["--idempotency-key", "e-\(index)"]
        let first = try await shell.fettle(arguments: keyed)
        let second = try await shell.fettle(arguments: keyed)
        #expect(first.status == 0 && second.status == 0, "\(command): \(first.errors) \(second.errors)")
        #expect(first.output == second.output && !first.output.isEmpty, "\(command)")
        #expect(second.errors.contains("the answer to the first command"), "\(command): \(second.errors)")
      }
      // The same answer as data, and never that of another command.
      let again = ["role", "delete", "painter"] + acme + ["--idempotency-key", "e-0"]
      #expect(
        try await shell.fettle(arguments: again + ["-o", "json"]).output.contains(#""role": "painter""#)
      )
      let other = ["role", "delete", "other"] + acme + ["--idempotency-key", "e-0"]
      #expect(try await shell.fettle(arguments: other).status == 5)
      #expect(try await shell.fettle(arguments: ["role", "delete", "painter"] + acme).status == 3)
      #expect(
        try await shell.rows("role", "list", "--company", "acme").contains {
          $0["role"] as? String == "other"
        }
      )
    }
  }

  @Test func `a key answers after its record is gone, and tells two files of one size apart`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("machine", "add", "RM-001", "--company", "acme")
      try await shell.done("trip", "add", "Lofoten", "--company", "acme", "--as", "eva")
      let photo = shell.folder.appending(path: "pump.jpg")
      try Data([0xFF, 0xD8, 0xFF]).write(to: photo)
      let eva = ["--company", "acme", "--as", "eva"]
      let commands = [
        ["trip", "share", "add", "Lofoten", "--idempotency-key", "s"] + eva,
        ["trip", "copy", "Lofoten", "--title", "Again", "--idempotency-key", "c"] + eva,
        ["file", "add", "maintenance.machine", "RM-001", photo.path, "--idempotency-key", "f"] + eva,
      ]
      var first: [String] = []
      for command in commands { first.append(try await shell.fettle(arguments: command).output) }
      try await shell.done("record", "delete", "trips.plan", "Lofoten", "--company", "acme", "--as", "eva")
      try await shell.done("machine", "delete", "RM-001", "--company", "acme", "--as", "eva")
      for (command, output) in zip(commands, first) {
        let again = try await shell.fettle(arguments: command)
        #expect(again.status == 0 && again.output == output && !output.isEmpty, "\(command): \(again.errors)")
      }
      try Data([0xFF, 0xD8, 0xFE]).write(to: photo)
      let changed = try await shell.fettle(arguments: commands[2])
      #expect(changed.status == 5 && changed.errors.contains("another request"), "\(changed.errors)")
    }
  }
}
