import Domain
import Engine
import EngineFixtures
import Files
import FoundationEssentials
import Postgres
import Secrets
import Store
import Synchronization
import Testing

/// Uploads of files to records.
@Suite(.timeLimit(.minutes(60))) struct UploadTests {
  private static let limit = 2_097_152

  @Test func `a photo becomes a file of its record, in its history and feed`() async throws {
    try await FileShop.open { files in
      let version = try await Self.version(files)
      let file = try await files.add(FileShop.fakePhoto(1_000), as: "admin")
      #expect(file.state == .pending && file.mediaType == "image/jpeg" && file.size == 1_000)
      #expect(file.originalDigest == SHA256.hash(FileShop.fakePhoto(1_000)))
      let admin = files.shop.acting("admin")
      let listed = try await files.attachments.list(admin, type: FileShop.type, id: files.shop.machine)
      #expect(listed.map(\.id) == [file.id])
      let history = try await files.records.history(admin, type: FileShop.type, id: files.shop.machine)
      #expect(history.last?.changes.text.contains("pump.jpg") == true)
      #expect(try await Self.version(files) == version + 1)
      let feed = try await files.shop.engine.superuser.value(
        "select version from core.feed where record_id = \(files.shop.machine)",
        as: Int64.self
      )
      #expect(feed == version + 1)
    }
  }

  @Test func `2 MiB are accepted, one byte more is refused and leaves nothing on the disk`() async throws {
    try await FileShop.open { files in
      let file = try await files.add(FileShop.fakePhoto(Self.limit))
      #expect(file.size == Self.limit)
      let before = files.stored
      let declared = try await refused {
        _ = try await files.add(FileShop.fakePhoto(10), size: Self.limit + 1)
      }
      #expect(declared.code == .payloadTooLarge)
      let sent = try await refused { _ = try await files.add(FileShop.fakePhoto(Self.limit + 1)) }
      #expect(sent.code == .payloadTooLarge)
      #expect(files.stored == before)
    }
  }

  @Test func `a member has a limited number of open uploads`() async throws {
    try await FileShop.open { files in
      let user = try #require(files.shop.members["admin"]?.userID)
      try await files.shop.engine.superuser.execute(
        """
        insert into core.upload (company_id, id, record_type, record_id, kind, name, size_bytes, created_by, expires_at)
        select \(files.shop.company.id), gen_random_uuid(), \(FileShop.type), gen_random_uuid(), 'photo', 'a.jpg', 1,
          \(user), now() + interval '1 hour'
        from generate_series(1, \(Uploads.mostOpen))
        """
      )
      let error = try await refused { _ = try await files.add(FileShop.fakePhoto(10), as: "admin") }
      #expect(error.code == .quotaExceeded)
    }
  }

  @Test func `the content decides about the type, not the name`() async throws {
    try await FileShop.open { files in
      for text in [
        "<html><script>alert(1)</script>", "<svg onload=alert(1)>", "plain text", "%PDF-1.7\n%%EOF",
      ] {
        let error = try await refused { _ = try await files.add(Array(text.utf8), "photo.jpg") }
        #expect(error.code == .unsupportedMedia, "\(text)")
      }
      #expect(files.stored.isEmpty)
    }
  }

  @Test func `a name has no folder, no control character and no override of direction`() throws {
    #expect(try FileName.checked("../../etc/passwd") == "passwd")
    #expect(try FileName.checked("C:\\photos\\pump.jpg") == "pump.jpg")
    #expect(try FileName.checked("pump\u{202E}gpj.exe\r\n\0") == "pumpgpj.exe")
    for text in ["", "/", "..", "\u{0}", String(repeating: "x", count: 201)] {
      #expect(throws: DomainError.self, "\(text.prefix(5))") { try FileName.checked(text) }
    }
  }

  @Test func `the same id sends once, also when an answer was lost`() async throws {
    try await FileShop.open { files in
      let id = UUID()
      let photo = FileShop.fakePhoto(500)
      let first = try await files.add(photo, id: id, size: 500)
      let again = try await files.add(photo, id: id, size: 500)
      #expect(first.id == again.id)
      let admin = files.shop.acting("admin")
      #expect(try await files.attachments.list(admin, type: FileShop.type, id: files.shop.machine).count == 1)
      let other = try await refused {
        _ = try await files.add(FileShop.fakePhoto(500, seed: 1), id: id, size: 500)
      }
      #expect(other.code == .alreadyExists)
      let stranger = try await refused { _ = try await files.add(photo, as: "owner", id: id, size: 500) }
      #expect(stranger.code == .alreadyExists)
    }
  }

  @Test func `a resumed upload continues at its offset, and nobody else may continue it`() async throws {
    try await FileShop.open { files in
      let photo = FileShop.fakePhoto(3_000)
      let admin = files.shop.acting("admin")
      let upload = try await files.uploads.create(admin, Self.wish(files, size: 3_000))
      let part = try await files.uploads.append(
        admin,
        upload.id,
        at: 0,
        FileShop.parts(Array(photo.prefix(1_000)))
      )
      #expect(part.received == 1_000 && !part.isFinished)
      let wrong = try await refused {
        _ = try await files.uploads.append(admin, upload.id, at: 900, FileShop.parts([1]))
      }
      #expect(wrong.code == .stale)
      let other = try await refused {
        _ = try await files.uploads.show(files.shop.acting("owner"), upload.id)
      }
      #expect(other.code == .notFound)
      await #expect(throws: ChecksumMismatch.self) {
        _ = try await files.uploads.append(
          admin,
          upload.id,
          at: 1_000,
          FileShop.parts([9, 9, 9]),
          checksum: .sha256(SHA256.hash([9, 9]))
        )
      }
      #expect(try await files.uploads.show(admin, upload.id).received == 1_000)
      let rest = Array(photo.dropFirst(1_000))
      let done = try await files.uploads.append(
        admin,
        upload.id,
        at: 1_000,
        FileShop.parts(rest),
        checksum: .sha256(SHA256.hash(rest))
      )
      #expect(done.isFinished && done.received == 3_000)
      let file = try await files.attachments.show(admin, upload.id)
      #expect(file.originalDigest == SHA256.hash(photo))
    }
  }

  /// A request is cancelled when its connection breaks or its time is over.
  @Test(arguments: [false, true]) func `an upload whose request is cancelled goes on at once`(
    isWhole: Bool
  ) async throws {
    try await FileShop.open { files in
      let photo = FileShop.fakePhoto(3_000)
      let admin = files.shop.acting("admin")
      let upload = try await files.uploads.create(admin, Self.wish(files, size: 3_000))
      let (taken, taking) = AsyncStream<Void>.makeStream()
      let parts = Mutex([Array(photo.prefix(1_000))])
      let bytes = AsyncThrowingStream {
        if let part = parts.withLock({ $0.popLast() }) { return part }
        taking.finish()
        try await Task.sleep(for: .seconds(600))
        return nil
      }
      let request = Task {
        if isWhole {
          _ = try await files.uploads.send(admin, upload.id, bytes)
        } else {
          _ = try await files.uploads.append(admin, upload.id, at: 0, bytes)
        }
      }
      for await _ in taken {}
      request.cancel()
      await #expect(throws: (any Error).self) { try await request.value }
      let rest = try await files.uploads.show(admin, upload.id)
      #expect(!rest.isBusy && rest.received == (isWhole ? 0 : 1_000))
      let left = FileShop.parts(Array(photo.dropFirst(rest.received)))
      let done = try await files.uploads.append(admin, upload.id, at: rest.received, left)
      #expect(done.isFinished)
    }
  }

  @Test func `a cancelled upload is gone, with its bytes`() async throws {
    try await FileShop.open { files in
      let admin = files.shop.acting("admin")
      let upload = try await files.uploads.create(admin, Self.wish(files, size: 3_000))
      _ = try await files.uploads.append(admin, upload.id, at: 0, FileShop.parts(FileShop.fakePhoto(1_000)))
      #expect(!files.stored.isEmpty)
      try await files.uploads.cancel(admin, upload.id)
      #expect(files.stored.isEmpty)
      let gone = try await refused { _ = try await files.uploads.show(admin, upload.id) }
      #expect(gone.code == .linkExpired)
    }
  }

  @Test func `who may not edit the record adds and removes nothing, and a stranger learns nothing`()
    async throws
  {
    try await FileShop.open { files in
      let file = try await files.add(FileShop.fakePhoto(100))
      let viewer = files.shop.acting("viewer")
      let add = try await refused { _ = try await files.add(FileShop.fakePhoto(100), as: "viewer") }
      #expect(add.code == .forbidden)
      let remove = try await refused { try await files.attachments.remove(viewer, file.id) }
      #expect(remove.code == .forbidden)
      let other = try await Workshop.open()
      let error = try await refused { _ = try await files.attachments.show(other.acting("admin"), file.id) }
      let random = try await refused { _ = try await files.attachments.show(other.acting("admin"), UUID()) }
      #expect(error.code == .notFound && error.message == random.message)
    }
  }

  @Test func `concurrent uploads cannot exceed the quota of bytes`() async throws {
    try await FileShop.open { files in
      try await Quotas(files.shop.engine.operators, files.records)
        .set(files.shop.operatorContext, [("bytes", 3_500)])
      let made = try await withThrowingTaskGroup(of: Bool.self) { group in
        for seed in 0..<8 {
          group.addTask {
            do {
              _ = try await files.add(FileShop.fakePhoto(1_000, seed: UInt8(seed)), size: 1_000)
              return true
            } catch let error as DomainError where error.code == .quotaExceeded {
              return false
            }
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(made == 3)
    }
  }

  @Test func `without a store of files an upload is refused as unavailable`() async throws {
    let shop = try await Workshop.open()
    let error = try await refused {
      _ = try await Uploads(shop.engine.services, shop.records).create(
        shop.acting("admin"),
        Uploads.Request(type: FileShop.type, record: shop.machine, kind: "photo", name: "a.jpg")
      )
    }
    #expect(error.code == .unavailable)
  }

  private static func wish(_ files: FileShop, size: Int) -> Uploads.Request {
    Uploads.Request(
      type: FileShop.type,
      record: files.shop.machine,
      kind: "photo",
      name: "pump.jpg",
      size: size
    )
  }

  private static func version(_ files: FileShop) async throws -> Int64 {
    try await files.shop.engine.superuser.value(
      "select version from maintenance.machine where id = \(files.shop.machine)",
      as: Int64.self
    )
  }
}
