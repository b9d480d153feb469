import EndToEndFixtures
import Foundation
import Postgres
import TestDatabase
import Testing
import Zip

/// `fettle company export` and `import` as an operator runs them.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ArchiveTests {
  @Test func `a company moves to another installation with its people, files and history`() async throws {
    try await ArchiveShell.open { old in
      let shell = old.shell
      let archive = old.path("acme.zip")
      try await shell.makeCompany(["ana": "user"])
      let folder = old.path("orchard")
      try ExampleApp.read().write(to: folder)
      try await shell.done("app", "install", folder)
      try await shell.done(
        "record",
        "create",
        "orchard.tree",
        "code=T-1",
        "variety=Ingrid Marie",
        "--as",
        "ana"
      )
      try await shell.done("machine", "add", "RM-1", "--name", "Roller")
      try await shell.done(
        "entry",
        "add",
        "Hose leaks",
        "--machine",
        "RM-1",
        "--category",
        "Hydraulics",
        "--as",
        "eva"
      )
      try await shell.done("entry", "do", "start", "WO-1001", "--as", "ana")
      try await shell.done("macros", "log", "--protein", "30", "--as", "ana")
      let photo = try old.photo()
      try await shell.done("file", "add", "maintenance.machine", "RM-1", photo)
      try await shell.done("token", "create", "script", "--scope", "maintenance.machine.read", "--for", "ana")
      try await shell.done("company", "archive", "acme")
      let told = try await shell.done("company", "export", "acme", archive)
      let before = try await old.shape(of: "acme")
      #expect(told.output.contains("1 files") && told.errors.contains("core.api_token: 1 rows are left out"))
      let attributes = try FileManager.default.attributesOfItem(atPath: archive)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      #expect(try await shell.fettle("company", "export", "acme", archive).status == 5)
      #expect(
        try await shell.fettle("company", "export", "acme", old.path("b.zip"), "--as", "eva").status == 4
      )
      // Every program that reads ZIP files can read it, and no secret is in it.
      let listed = try await shell.program("/usr/bin/unzip", ["-t", archive])
      #expect(listed.status == 0, "\(listed.output)")
      let text = try await shell.program("/usr/bin/unzip", ["-p", archive, "*.json*"])
      #expect(text.output.contains("Hose leaks"))
      #expect(!text.output.contains("secret_hash\":") && !text.output.contains("password_hash\":"))

      try await ArchiveShell.open { new in
        // An app that the archive has must be here.
        #expect(try await new.refusal(archive, status: 5).contains("orchard"))
        try await new.shell.done("app", "install", folder)
        let dry = try await new.shell.done("company", "import", archive, "--dry-run")
        #expect(dry.output.contains("would import acme") && dry.output.contains("2 new"))
        #expect(try await new.shell.rows("company", "list").isEmpty && new.storedFiles().isEmpty)

        try await new.shell.done("company", "import", archive)
        let after = try await new.shape(of: "acme")
        for (table, sum) in before { #expect(after[table] == sum, "\(table)") }
        #expect(
          before["orchard.tree"]?.hasPrefix("1 ") == true && before["macros.entry"]?.hasPrefix("1 ") == true
        )
        #expect(
          try await new.shell.fettle("entry", "list", "--as", "ana").errors.contains("company_archived")
        )
        try await new.shell.done("company", "activate", "acme")
        try await new.shell.done("entry", "do", "complete", "WO-1001", "--as", "ana")
        #expect(try await new.shell.fettle("verify").status == 0)
        let file = try #require(
          try await new.shell.rows("file", "list", "maintenance.machine", "RM-1").first?["id"] as? String
        )
        #expect(new.storedFiles() == old.storedFiles() && new.storedFiles().count == 1)
        // The job that prepares the photo did not travel: the import has made it again.
        let worker = try new.shell.begin("work")
        try await until {
          try await new.shell.fettle("file", "get", file, "--to", new.path("copy.png")).status == 0
        }
        worker.signal(SIGTERM)
        _ = try await worker.end()

        let again = try await new.shell.fettle("company", "import", archive)
        #expect(again.status == 5 && again.errors.contains("--new-ids"))
      }
    }
  }

  @Test func `with new ids a copy stands beside the first, and nothing of it leads back`() async throws {
    try await ArchiveShell.open { old in
      let shell = old.shell
      try await shell.done("demo")
      let archive = old.path("demo.zip")
      try await shell.done("company", "export", "demo", archive)
      #expect(try await shell.fettle("company", "import", archive, "--new-ids").errors.contains("--slug"))
      let told = try await shell.done("company", "import", archive, "--new-ids", "--slug", "copy")
      #expect(told.output.contains("0 new"))
      let (before, after) = (try await old.shape(of: "demo"), try await old.shape(of: "copy"))
      for (table, sum) in before where !["core.audit", "core.history_seal"].contains(table) {
        #expect(after[table] == sum, "\(table)")
      }
      #expect(before.values.count { !$0.hasPrefix("0 ") } > 20)
      let shared = try await old.shared("demo", "copy")
      #expect(shared == [])
      let verified = try await shell.fettle("verify")
      #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
      let audit = try await shell.rows(
        "audit",
        "list",
        "--company",
        "copy",
        "--where",
        "action=company.imported"
      )
      #expect(audit.count == 1)

      // A history that somebody has changed is not sealed again.
      try await old.superuser.execute(
        "update core.history h set to_status = to_status || 'x' where ctid = (select h.ctid from core.history h join core.company c on c.id = h.company_id where c.slug = 'demo' and h.to_status is not null limit 1)"
      )
      let broken = old.path("broken.zip")
      try await shell.done("company", "export", "demo", broken)
      let refused = try await shell.fettle("company", "import", broken, "--new-ids", "--slug", "third")
      #expect(refused.status == 5 && refused.errors.contains("history_broken"), "\(refused.errors)")
    }
  }

  @Test func `an archive that is not as it was written is refused, and nothing of it is left`() async throws {
    try await ArchiveShell.open { old in
      try await old.shell.makeCompany(["ana": "user"])
      try await old.shell.done("machine", "add", "RM-1", "--name", "Roller")
      let photo = try old.photo()
      try await old.shell.done("file", "add", "maintenance.machine", "RM-1", photo)
      let archive = old.path("acme.zip")
      try await old.shell.done("company", "export", "acme", archive)

      try await ArchiveShell.open { new in
        func changed(
          _ name: String,
          _ change: (inout [(name: String, bytes: [UInt8])]) throws -> Void
        ) throws -> String { try new.rewrite(archive, "\(name).zip", change) }
        func index(_ members: [(name: String, bytes: [UInt8])], _ name: String) throws -> Int {
          try #require(members.firstIndex { $0.name.hasPrefix(name) }, "\(name) of \(members.map(\.name))")
        }
        func edit(_ bytes: [UInt8], _ text: String, _ other: String) throws -> [UInt8] {
          let old = String(decoding: bytes, as: UTF8.self)
          #expect(old.contains(text))
          return Array(old.replacing(text, with: other).utf8)
        }

        // Damage on the way.
        var bytes = try Data(contentsOf: URL(filePath: archive))
        bytes[bytes.count / 3] ^= 1
        try bytes.write(to: URL(filePath: new.path("damaged.zip")))
        _ = try await new.refusal(new.path("damaged.zip"))
        try Data(bytes.prefix(bytes.count / 2)).write(to: URL(filePath: new.path("cut.zip")))
        _ = try await new.refusal(new.path("cut.zip"))

        // A byte that is changed by somebody who writes a valid ZIP.
        let byte = try changed("byte") { members in
          let place = try index(members, "tables/maintenance.machine")
          members[place].bytes = try edit(members[place].bytes, "Roller", "Rollex")
        }
        #expect(try await new.refusal(byte).contains("maintenance.machine"))
        #expect(try await new.refusal(byte, status: 6, "--new-ids").contains("maintenance.machine"))
        let photo = try changed("photo") { members in
          members[try index(members, "files/")].bytes[0] ^= 1
        }
        #expect(try await new.refusal(photo).contains("files/"))

        // Members that are added, left out and doubled.
        for name in ["../x", "/tmp/x", "files/../x", "tables/core.session.jsonl", "notes.txt"] {
          let added = try changed("added-\(name.filter(\.isLetter))") { $0.append((name, [1])) }
          #expect(try await new.refusal(added).contains(name))
        }
        // Names and sizes are compared before anything is read: this one is changed inside too.
        for (name, size, told) in [("../x", 1, "../x"), ("files/x", 2, "more files")] {
          let outside = try changed("outside-\(size)") { members in
            let place = try index(members, "tables/maintenance.machine")
            members[place].bytes = try edit(members[place].bytes, "Roller", "Rollex")
            members.append((name, [UInt8](repeating: 0, count: size)))
          }
          #expect(try await new.refusal(outside).contains(told))
        }
        let missing = try changed("missing") { members in
          members.remove(at: try index(members, "tables/core.feed"))
        }
        #expect(try await new.refusal(missing).contains("core.feed"))
        let lost = try changed("lost") { members in members.remove(at: try index(members, "files/")) }
        #expect(try await new.refusal(lost).contains("missing"))
        let doubled = try changed("doubled") { members in
          members.append(members[try index(members, "tables/core.membership")])
        }
        #expect(try await new.refusal(doubled).contains("twice"))
        let headless = try changed("headless") { members in
          members.remove(at: try index(members, "manifest.json"))
        }
        #expect(try await new.refusal(headless).contains("no manifest"))

        // A bomb: small as a file, and larger than any archive when it is unpacked.
        let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 100 << 20)
        let bomb = try changed("bomb") { members in
          members[try index(members, "tables/maintenance.machine")].bytes = zeros
        }
        #expect(try await new.refusal(bomb).contains("maintenance.machine"))
        let manifest = try changed("manifest") { members in
          members[try index(members, "manifest.json")].bytes = zeros
        }
        #expect(try await new.refusal(manifest).contains("manifest.json"))
        let declared = try changed("declared") { members in
          let place = try index(members, "manifest.json")
          let text = String(decoding: members[place].bytes, as: UTF8.self)
          members[place].bytes = Array(
            text.replacing(try Regex(#""bytes":[0-9]+"#), with: "\"bytes\":9000000000000000000").utf8
          )
        }
        #expect(try await new.refusal(declared).contains("times its size"))

        // Another schema, app and format.
        for (name, pattern, other, status) in [
          ("schema", #""schema":"[0-9a-f]+""#, #""schema":"00""#, Int32(5)),
          ("app", #""name":"solar","version":[0-9]+"#, #""name":"solar","version":99"#, 5),
          ("format", #""format":1"#, #""format":2"#, 6),
        ] {
          let file = try changed(name) { members in
            let place = try index(members, "manifest.json")
            let text = String(decoding: members[place].bytes, as: UTF8.self)
            let edited = text.replacing(try Regex(pattern), with: other)
            #expect(edited != text)
            members[place].bytes = Array(edited.utf8)
          }
          _ = try await new.refusal(file, status: status)
        }
        // The one that nobody has changed is taken.
        try await new.shell.done("company", "import", archive)
        #expect(new.storedFiles().count == 1)
      }
    }
  }
}
