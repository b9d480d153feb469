import Cluster
import EndToEndFixtures
import Foundation
import TestDatabase
import TestTools
import Testing

/// Backups in a bucket, with pgBackRest and restic against an S3 server with TLS.
@Suite(.serialized, .timeLimit(.minutes(60))) struct BackupBucketTests {
  private static let isPossible = BucketServer.isInstalled
  private static let reason: Comment = "moto_server or socat is not installed; deploy/test installs them"

  @Test(.enabled(if: isPossible, reason))
  func `a bucket restores what was written before, between and after two backups`() async throws {
    try await BackupShell.open { plain in
      try await BucketServer.run(in: plain.shell) { server in
        let backups = try await plain.backingUp(to: server)
        try await backups.setUp()
        // The key is in files of its users only; the certificate is no secret.
        for (name, mode) in [
          "credentials": 0o600, "settings.json": 0o600, "passphrase": 0o600,
          "database/pgbackrest.conf": 0o600,
          "authorities.pem": 0o644,
        ] {
          let path = "\(backups.home)/backup/\(name)"
          let attributes = try FileManager.default.attributesOfItem(atPath: path)
          #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
          let text = try String(contentsOfFile: path, encoding: .utf8)
          #expect(text.contains("test-secret") == ["credentials", "database/pgbackrest.conf"].contains(name))
        }
        // From here on without credentials in the environment.
        let shell = plain.shell
        try await plain.add("before", 1...2)
        let photo = shell.folder.appending(path: "pump.png")
        try #require(Data(base64Encoded: BackupTests.picture)).write(to: photo)
        try await shell.done(
          "file",
          "add",
          "maintenance.machine",
          "before-1",
          photo.path,
          "--company",
          "acme"
        )
        let full = try await shell.rows("backup", "run")
        #expect(full.first?["kind"] as? String == "full" && full.first?["files"] as? Int == 1)
        try await plain.add("between", 1...3)
        let second = try await shell.rows("backup", "run")
        #expect(second.first?["kind"] as? String == "incremental")
        try await plain.add("after", 1...2)
        try await plain.archiveAll()

        let listed = try await shell.rows("backup", "list")
        #expect(listed.map { $0["kind"] as? String } == ["full", "incremental"])
        #expect(try await shell.done("backup", "verify").errors.contains("every byte"))
        #expect(try await shell.done("backup", "test").output.contains("verified"))
        let findings = try await shell.rows("doctor")
        let states = Dictionary(
          findings.map { ($0["check"] as? String ?? "", $0["state"] as? String ?? "") }
        ) { $1 }
        #expect(states["backup"] == "ok" && states["archive"] == "ok" && states["backup test"] == "ok")
        #expect(states["backup disk"] == nil)
        let metrics = try await shell.done("backup", "metrics").output
        #expect(metrics.contains("fettle_backup_on_data_disk 0\n"), "\(metrics)")

        let key = "\(shell.folder.path)/fettle.key"
        try FileManager.default.copyItem(atPath: "\(plain.home)/fettle.key", toPath: key)
        let blobs = try plain.blobs(below: "\(plain.home)/blobs")
        #expect(blobs.count == 1)
        try EmbeddedCluster(home: ClusterHome(directory: plain.home)).crash()
        try FileManager.default.removeItem(atPath: plain.home)
        let outcome = try await backups.restore("--key-file", key)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try plain.blobs(below: "\(plain.target)/blobs") == blobs)
        try await plain.withRestored { restored in
          let names = try await plain.names(in: restored)
          #expect(
            names == ["before-1", "before-2", "between-1", "between-2", "between-3", "after-1", "after-2"]
          )
          let verified = try await restored.done("verify").errors
          #expect(verified.contains("verified"))
        }
      }
    }
  }

  @Test(.enabled(if: isPossible, reason))
  func `a bucket that cannot be used is refused with a remedy, and nothing is set up`() async throws {
    try await BackupShell.open { plain in
      try await BucketServer.run(in: plain.shell) { server in
        let backups = try await plain.backingUp(to: server)
        func refused(
          _ status: Int32,
          _ message: String,
          _ remedy: String,
          _ options: [String],
          in shell: Shell,
          sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
          let refusal = try await shell.fettle(arguments: ["backup", "init", "--to"] + options)
          #expect(refusal.status == status, "\(refusal.errors)", sourceLocation: sourceLocation)
          for text in [message, remedy] {
            #expect(refusal.errors.contains(text), "\(refusal.errors)", sourceLocation: sourceLocation)
          }
          #expect(!refusal.errors.contains("test-secret"))
          let left = (try? FileManager.default.contentsOfDirectory(atPath: "\(plain.home)/backup")) ?? []
          #expect(Set(left).isDisjoint(with: ["settings.json", "passphrase", "credentials", "database"]))
        }
        let (place, shell) = (backups.place, backups.shell)
        try await refused(6, "no credentials for S3", "FETTLE_S3_CREDENTIALS", place, in: plain.shell)
        try await server.checkKeys(true)
        try await refused(6, "InvalidAccessKeyId", "list, read, write and remove", place, in: shell)
        let words = try shell.file("words", "PASSPHRASE\n")
        let restore = try await backups.restore("--without-key", "--passphrase-file", words)
        #expect(restore.status == 6 && restore.errors.contains("InvalidAccessKeyId"), "\(restore.errors)")
        #expect(!FileManager.default.fileExists(atPath: backups.target))
        try await server.checkKeys(false)
        let other = ["s3://elsewhere/shop"] + place.dropFirst()
        try await refused(3, "there is no bucket elsewhere", "create it", other, in: shell)
        let closed = place.map { $0 == server.endpoint ? "localhost:\((try? Loopback.freePort()) ?? 1)" : $0 }
        try await refused(7, "cannot be reached", "check --endpoint", closed, in: shell)
        let untrusted = Array(place.prefix { $0 != "--ca-file" })
        try await refused(7, "certificate", "--ca-file", untrusted, in: shell)
        let plainText = place.map { $0 == server.endpoint ? "http://\(server.endpoint)" : $0 }
        try await refused(6, "endpoint is not an origin", "hint: ", plainText, in: shell)
        try await refused(
          64,
          "belong to s3://",
          "--path-style",
          ["\(backups.repository)", "--path-style"],
          in: shell
        )
        try await refused(64, "or s3://bucket/prefix", "--to", ["https://bucket/prefix"], in: shell)
        // Another cluster's backups are not written over.
        try await backups.setUp()
        try FileManager.default.moveItem(atPath: "\(plain.home)/backup", toPath: "\(plain.home)/backup-away")
        try await refused(5, "is not empty", "another prefix", place, in: shell)
      }
    }
  }
}

extension BackupShell {
  /// Returns a shell whose environment has the credentials of a bucket, and whose backups go there.
  fileprivate func backingUp(to server: BucketServer) async throws -> BackupShell {
    let file = try shell.file("s3", "test-key\ntest-secret\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let environment = shell.environment.merging(["FETTLE_S3_CREDENTIALS": file]) { $1 }
    return BackupShell(
      shell: Shell(folder: shell.folder, environment: environment),
      place: [
        "s3://\(server.bucket)/shop", "--endpoint", server.endpoint, "--path-style", "--ca-file",
        server.certificate,
      ]
    )
  }
}
