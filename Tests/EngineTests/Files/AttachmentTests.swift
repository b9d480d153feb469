import Domain
import Engine
import EngineFixtures
import FettleTesting
import Files
import FoundationEssentials
import Jobs
import Postgres
import Store
import Testing

/// Files of records: their preparation, links, deletion and purge.
@Suite(.timeLimit(.minutes(60))) struct AttachmentTests {
  private static func pdf(_ text: String = "receipt") -> [UInt8] {
    Array("%PDF-1.7\n% \(text)\n%%EOF\n".utf8)
  }

  /// Adds a file of an item, whose kinds accept PDF too.
  private static func receipt(_ files: FileShop, _ bytes: [UInt8], kind: String = "receipt") async throws
    -> AttachmentRow
  {
    let admin = files.shop.acting("admin")
    let item = try await files.records.create(admin, type: "inventory.item", fields: Self.item)
    let upload = try await files.uploads.create(
      admin,
      Uploads.Request(type: "inventory.item", record: item.id, kind: kind, name: "drill \(kind).pdf")
    )
    return try await files.uploads.send(admin, upload.id, FileShop.parts(bytes))
  }

  private static let item: JSONObject = ["name": "Drill", "category": "Tools", "purchase_date": "2026-01-05"]

  @Test(.enabled(if: ImageTool() != nil, "libvips-tools is not installed"))
  func `a prepared photo has no location data, is turned, and has a thumbnail`() async throws {
    try await FileShop.open { files in
      let file = try await files.add(PhotoSample.located)
      #expect(try await files.prepare(file.id).outcome == .succeeded)
      let viewer = files.shop.acting("viewer")
      for variant in SignedLink.Variant.allCases {
        let content = try await files.attachments.open(viewer, file.id, variant)
        let bytes = try await files.store.all(content.blob, size: content.size)
        #expect(bytes.starts(with: [0xFF, 0xD8, 0xFF]))
        #expect(!Self.contains(bytes, PhotoSample.mark) && !Self.contains(bytes, Array("Exif".utf8)))
      }
      // The uploaded bytes have the location, and go as soon as nothing names them.
      _ = try await files.purge()
      for path in files.stored {
        #expect(!Self.contains(try Self.read("\(files.folder)/\(path)"), PhotoSample.mark), "\(path)")
      }
      #expect(files.stored.count == 2)
    }
  }

  @Test(
    .enabled(if: ImageTool() != nil, "libvips-tools is not installed"),
    arguments: [
      ("jpg", "Q=40"), ("jpg", "Q=75"), ("jpg", "Q=10"), ("png", "compression=9,filter=all"),
      ("png", "palette,compression=9"),
    ]
  )
  func `a prepared photo is never larger than what came`(format: String, options: String) async throws {
    try await FileShop.open { files in
      let photo = try PhotoSample.noise(format, options)
      let file = try await files.add(photo, "pump.\(format)")
      #expect(try await files.prepare(file.id).outcome == .succeeded)
      let row = try await files.attachments.show(files.shop.acting("viewer"), file.id)
      #expect(row.state == .ready, "\(row.refusal ?? "")")
      #expect(row.size <= photo.count && row.size > photo.count / 4, "\(row.size) of \(photo.count)")
    }
  }

  @Test func `until a file is prepared, only the uploader can read it`() async throws {
    try await FileShop.open { files in
      let photo = FileShop.fakePhoto(100)
      let file = try await files.add(photo, as: "admin")
      let own = try await files.attachments.open(files.shop.acting("admin"), file.id)
      #expect(try await files.store.all(own.blob, size: own.size) == photo)
      for other in ["viewer", "owner"] {
        let error = try await refused {
          _ = try await files.attachments.open(files.shop.acting(other), file.id)
        }
        #expect(error.code == .wrongState)
      }
      let link = try await refused {
        _ = try await files.attachments.link(files.shop.acting("admin"), file.id, now: 0)
      }
      #expect(link.code == .wrongState)
    }
  }

  @Test func `without libvips an image waits`() async throws {
    try await FileShop.open { files in
      let file = try await files.add(FileShop.fakePhoto(100))
      guard case .snoozed = try await files.prepare(file.id, images: nil).outcome else {
        Issue.record("not snoozed")
        return
      }
      #expect(try await files.attachments.show(files.shop.acting("admin"), file.id).state == .pending)
    }
  }

  @Test(
    .enabled(if: ImageTool() != nil, "libvips-tools is not installed"),
    arguments: [
      PhotoSample.bomb, FileShop.fakePhoto(200),
    ]
  )
  func `a decompression bomb and a damaged image are refused, and their bytes removed`(bytes: [UInt8])
    async throws
  {
    try await FileShop.open { files in
      let file = try await files.add(bytes)
      #expect(try await files.prepare(file.id).outcome == .succeeded)
      let row = try await files.attachments.show(files.shop.acting("admin"), file.id)
      #expect(row.state == .refused && row.refusal != nil)
      let error = try await refused {
        _ = try await files.attachments.open(files.shop.acting("admin"), file.id)
      }
      #expect(error.code == .wrongState)
      _ = try await files.purge()
      #expect(files.stored.isEmpty)
    }
  }

  @Test func `an item has several files with their kinds`() async throws {
    try await FileShop.open { files in
      let file = try await Self.receipt(files, Self.pdf())
      #expect(try await files.prepare(file.id).outcome == .succeeded)
      let admin = files.shop.acting("admin")
      let manual = try await files.uploads.create(
        admin,
        Uploads.Request(type: "inventory.item", record: file.recordID, kind: "manual", name: "manual.pdf")
      )
      _ = try await files.uploads.send(admin, manual.id, FileShop.parts(Self.pdf("manual")))
      let kinds = try await files.attachments.list(admin, type: "inventory.item", id: file.recordID).map(
        \.kind
      )
      #expect(kinds == ["receipt", "manual"])
      let unknown = try await refused {
        _ = try await files.uploads.create(
          admin,
          Uploads.Request(type: "inventory.item", record: file.recordID, kind: "song", name: "song.pdf")
        )
      }
      #expect(unknown.code == .invalidInput && unknown.hint.contains("receipt"))
    }
  }

  @Test func `a link gives its bearer one file until it expires`() async throws {
    try await FileShop.open { files in
      let file = try await Self.receipt(files, Self.pdf())
      _ = try await files.prepare(file.id)
      let admin = files.shop.acting("admin")
      let (text, expires) = try await files.attachments.link(admin, file.id, seconds: 60, now: 1_000)
      #expect(expires == 1_060)
      let content = try await files.attachments.follow(text, now: 1_059)
      #expect(try await files.store.all(content.blob, size: content.size) == Self.pdf())
      let late = try await refused { _ = try await files.attachments.follow(text, now: 1_060) }
      #expect(late.code == .linkExpired)
      let tampered = try await refused {
        let other = text.hasPrefix("A") ? "B" : "A"
        _ = try await files.attachments.follow("\(other)\(text.dropFirst())", now: 1_000)
      }
      #expect(tampered.code == .notFound)
      let long = try await refused {
        _ = try await files.attachments.link(admin, file.id, seconds: 901, now: 0)
      }
      #expect(long.code == .invalidDuration)
      try await files.attachments.remove(admin, file.id)
      let removed = try await refused { _ = try await files.attachments.follow(text, now: 1_000) }
      #expect(removed.code == .linkExpired)
    }
  }

  @Test func `a deleted file can be restored for 30 days, and then its bytes are removed`() async throws {
    try await FileShop.open { files in
      let file = try await Self.receipt(files, Self.pdf())
      _ = try await files.prepare(file.id)
      let admin = files.shop.acting("admin")
      try await files.attachments.remove(admin, file.id)
      #expect(try await files.attachments.list(admin, type: "inventory.item", id: file.recordID).isEmpty)
      _ = try await files.purge()
      try await files.attachments.restore(admin, file.id)
      _ = try await files.attachments.open(admin, file.id)
      try await files.attachments.remove(admin, file.id)
      try await files.shop.engine.superuser.execute(
        "update core.attachment set deleted_at = now() - interval '31 days' where id = \(file.id)"
      )
      _ = try await files.purge()
      #expect(files.stored.isEmpty)
      let error = try await refused { try await files.attachments.restore(admin, file.id) }
      #expect(error.code == .notFound)
    }
  }

  @Test func `bytes stay while another file names them`() async throws {
    try await FileShop.open { files in
      let first = try await Self.receipt(files, Self.pdf())
      let second = try await Self.receipt(files, Self.pdf())
      _ = try await files.prepare(first.id)
      _ = try await files.prepare(second.id)
      #expect(files.stored.count == 1)
      let admin = files.shop.acting("admin")
      try await files.attachments.remove(admin, first.id)
      try await files.shop.engine.superuser.execute(
        "update core.attachment set deleted_at = now() - interval '31 days' where id = \(first.id)"
      )
      _ = try await files.purge()
      let content = try await files.attachments.open(admin, second.id)
      #expect(try await files.store.all(content.blob, size: content.size) == Self.pdf())
    }
  }

  @Test func `two companies with the same bytes share nothing`() async throws {
    try await FileShop.open { one in
      try await FileShop.open { other in
        let (a, b) = (try await Self.receipt(one, Self.pdf()), try await Self.receipt(other, Self.pdf()))
        _ = try await one.prepare(a.id)
        _ = try await other.prepare(b.id)
        let content = try await one.attachments.open(one.shop.acting("admin"), a.id)
        let theirs = try await other.attachments.open(other.shop.acting("admin"), b.id)
        #expect(content.blob.digest == theirs.blob.digest && content.blob != theirs.blob)
        let rows = try await one.shop.engine.superuser.value(
          "select count(*) from core.blob where sha256 = \(content.blob.digest)",
          as: Int.self
        )
        #expect(rows >= 2)
        await #expect(throws: FilesError.self) { try await one.store.read(theirs.blob, 0..<1) }
      }
    }
  }

  @Test func `the photo shown in lists cannot be removed before the field is cleared`() async throws {
    try await FileShop.open { files in
      let file = try await files.add(FileShop.fakePhoto(100))
      let admin = files.shop.acting("admin")
      _ = try await files.records.update(
        admin,
        type: FileShop.type,
        id: files.shop.machine,
        fields: ["photo_id": .id(file.id)]
      )
      let error = try await refused { try await files.attachments.remove(admin, file.id) }
      #expect(error.code == .stillReferenced)
      _ = try await files.records.update(
        admin,
        type: FileShop.type,
        id: files.shop.machine,
        fields: ["photo_id": .null]
      )
      try await files.attachments.remove(admin, file.id)
    }
  }

  @Test func `an entry keeps its photos, which leave with the record and return with it`() async throws {
    try await FileShop.open { files in
      let entry = try await files.shop.entry("user")
      let user = files.shop.acting("user")
      let upload = try await files.uploads.create(
        user,
        Uploads.Request(type: "maintenance.entry", record: entry, kind: "photo", name: "leak.jpg")
      )
      _ = try await files.uploads.send(user, upload.id, FileShop.parts(FileShop.fakePhoto(100)))
      let admin = files.shop.acting("admin")
      _ = try await files.records.delete(admin, type: "maintenance.entry", id: entry)
      let error = try await refused { _ = try await files.attachments.show(admin, upload.id) }
      #expect(error.code == .notFound)
      _ = try await files.records.restore(admin, type: "maintenance.entry", id: entry)
      #expect(try await files.attachments.show(admin, upload.id).name == "leak.jpg")
    }
  }

  private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  private static func read(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }
}
