internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Writes the rows of an archive to the database, in the transaction of an import.
struct ArchiveFilling {
  /// The number of lines, and of their bytes, in a statement.
  private static let (batchLines, batchBytes) = (5_000, 4 << 20)

  private let archive: ArchiveReader
  private let tables: [ArchiveTable]
  private let types: [String: String]
  private let people: [UUID: UUID]
  private let map: IDMap
  private let known: Int
  /// The accounts of people who were erased here.
  private let erased: [UUID]
  private var reseal: HistoryReseal?

  /// True if ids are replaced.
  var isMapped: Bool { !map.isEmpty }

  /// Finds or creates the accounts of the people.
  ///
  /// - Parameters:
  ///   - rows: the ids that are replaced by new ones.
  ///   - digests: SHA-256 of the ids of people whom the ledger names as erased.
  init(
    _ archive: ArchiveReader,
    _ tables: [ArchiveTable],
    rows: Set<UUID>,
    erased digests: [[UInt8]],
    _ tx: Transaction
  ) throws {
    self.archive = archive
    self.tables = tables
    let before = try tx.value("select count(*) from core.app_user", as: Int.self)
    var people: [UUID: UUID] = [:]
    var erased: [UUID] = []
    let hashes = digests.map { Hex.encode($0) }
    try Self.batches(of: ArchiveManifest.people, archive) { lines in
      for (former, person, isErased) in try tx.rows(
        "select p.former, p.person, p.is_erased from core.import_people(\(Self.texts(lines)), \(hashes)) p",
        UUID.self,
        UUID.self,
        Bool.self
      ) {
        people[former] = person
        if isErased { erased.append(person) }
      }
    }
    self.people = people
    self.erased = erased
    self.known = people.count - (try tx.value("select count(*) from core.app_user", as: Int.self) - before)
    map = IDMap(rows: rows, people: people)
    types = Dictionary(
      try tx.rows(
        "select r.table_schema || '.' || r.table_name, r.name from core.record_type r",
        String.self,
        String.self
      )
    ) { first, _ in first }
    if !map.isEmpty { reseal = try HistoryReseal(archive, map) }
  }

  /// Creates the company and writes its rows; then reads them back, and erases who was erased here.
  mutating func fill(slug: String, by actor: Actor, _ tx: Transaction) throws -> CompanyImport.Outcome {
    let company = map(archive.manifest.company.id)
    try createCompany(company, slug, tx)
    try keepWorkflows(tx)
    // The history first, whose new heads the records store. It refers to no other table.
    for table in tables.filter({ $0.name == "core.history" }) + tables.filter({ $0.name != "core.history" }) {
      try write(table, company, tx)
    }
    for table in tables where !table.later.isEmpty { try link(table, company, tx) }
    if reseal != nil { try tx.execute("select core.cover_again(\(company))") }
    try compare(company, tx)
    try prepareFiles(company, tx)
    try followSame(company, tx)
    for person in erased { try erase(person, in: company, by: actor, tx) }
    return CompanyImport.Outcome(
      company: company,
      slug: slug,
      manifest: archive.manifest,
      people: (known: known, new: people.count - known - erased.count, erased: erased.count)
    )
  }

  /// Erases a person in the imported company, as ``PersonErasure`` does in others, and her account.
  private func erase(_ person: UUID, in company: UUID, by actor: Actor, _ tx: Transaction) throws {
    let erasure = try tx.value(
      "select r.erasure from core.request_person_erasure(\(person), \(actor.name ?? "operator")) r",
      as: UUID.self
    )
    _ = try tx.value("select core.erase_person_in(\(erasure), \(company))", as: Int64.self)
    _ = try tx.value("select core.finish_person_erasure(\(erasure))", as: Int64.self)
  }

  private func createCompany(_ company: UUID, _ slug: String, _ tx: Transaction) throws {
    var rows: [JSONObject] = []
    try archive.forEachLine(of: ArchiveManifest.company) { rows.append(try ArchiveLine.object(map($0))) }
    guard rows.count == 1, rows[0]["id"]?.string == company.text else {
      throw ArchiveReader.fault("it has no company")
    }
    let members = rows[0].members.map { key, value in (key, key == "slug" ? .string(slug) : value) }
    try tx.execute("select core.begin_import(\(JSON(JSONObject(members))))")
  }

  /// Puts the versions of workflows in force that the company follows.
  private func keepWorkflows(_ tx: Transaction) throws {
    try archive.forEachLine(of: ArchiveManifest.workflows) { line in
      let row = try ArchiveLine.object(line)
      guard let type = row["record_type"]?.string, let version = row["version"]?.number?.integer,
        let body = row["body"], let digest = row["sha256"]?.string.flatMap({ Hex.decode($0) })
      else { throw ArchiveReader.fault("a workflow has no name or version") }
      let isKept = try tx.value(
        "select core.keep_workflow(\(type), \(Int32(clamping: version)), \(JSON(body)), \(digest))",
        as: Bool.self
      )
      guard isKept else {
        throw DomainError(
          .appVersion,
          "version \(version) of the workflow \(type) is another one here",
          hint: "a company installed it for itself; import into an installation without it"
        )
      }
    }
  }

  private mutating func write(_ table: ArchiveTable, _ company: UUID, _ tx: Transaction) throws {
    // Seals cover ids, and end where the ids do.
    if isMapped, table.name == "core.history_seal" { return }
    var written: Int64 = 0
    try Self.batches(of: ArchiveManifest.member(of: table.name), archive) { lines in
      let lines = try mapped(lines, table, tx)
      written += try tx.value(
        "select core.import_rows(\(company), \(table.name)::text::regclass, \(Self.texts(lines)), false)",
        as: Int64.self
      )
    }
    let expected = archive.manifest.members.first { $0.name == ArchiveManifest.member(of: table.name) }
    guard written == expected?.rows ?? 0 else {
      throw ArchiveReader.fault("\(table.name) got \(written) of \(expected?.rows ?? 0) rows")
    }
  }

  private mutating func mapped(_ lines: [[UInt8]], _ table: ArchiveTable, _ tx: Transaction) throws
    -> [[UInt8]]
  {
    guard isMapped else { return lines }
    if table.name == "core.history" { return try reseal?.history(lines, tx) ?? lines }
    if table.hasProof, let type = types[table.name], let reseal {
      return try lines.map { try reseal.record($0, type: type) }
    }
    return lines.map { map($0) }
  }

  /// Writes the references of rows to others of the same table.
  private func link(_ table: ArchiveTable, _ company: UUID, _ tx: Transaction) throws {
    try Self.batches(of: ArchiveManifest.member(of: table.name), archive) { lines in
      let linked = try lines.filter { try ArchiveLine.hasValue(in: table.later, of: $0) }
      guard !linked.isEmpty else { return }
      try tx.execute(
        "select core.import_rows(\(company), \(table.name)::text::regclass, \(Self.texts(linked.map { map($0) })), true)"
      )
    }
  }

  /// Reads the rows back. With the same ids they have the hash of the archive; with other ones, their number is the same.
  private func compare(_ company: UUID, _ tx: Transaction) throws {
    for table in tables where table.reason == nil {
      let expected = archive.manifest.members.first { $0.name == ArchiveManifest.member(of: table.name) }
      if isMapped, table.name == "core.history_seal" { continue }
      var (rows, digest): (Int64, SHA256Stream) = (0, SHA256Stream())
      try tx.forEach(
        "select r.line from core.imported_rows(\(company), \(table.name)::text::regclass) r (line)",
        String.self,
        fetch: 200
      ) { line in
        rows += 1
        digest.update(Array((line + "\n").utf8))
      }
      let hash = Hex.encode(digest.digest())
      guard rows == expected?.rows ?? 0, isMapped || rows == 0 || hash == expected?.sha256 else {
        throw ArchiveReader.fault("the rows of \(table.name) are not those of the archive")
      }
    }
  }

  /// Jobs do not travel, and photos that wait for their preparation need theirs.
  private func prepareFiles(_ company: UUID, _ tx: Transaction) throws {
    try Self.batches(of: ArchiveManifest.member(of: "core.attachment"), archive) { lines in
      var jobs: [NewJob] = []
      for line in lines {
        let row = try ArchiveLine.object(map(line))
        guard row["state"]?.string == "pending", row["deleted_at"]?.isNull == true,
          let file = row["id"]?.string, let type = row["record_type"]?.string,
          let record = row["record_id"]?.string.flatMap(UUID.init(uuidString:))
        else { continue }
        jobs.append(
          FilePreparation.job(
            UUIDv7Generator.shared.next(),
            file: file,
            owner: row["owner_id"]?.string,
            of: (type, record)
          )
        )
      }
      if !jobs.isEmpty { try JobOutbox.write(jobs, company: company, traceID: nil, tx) }
    }
  }

  /// A company without a choice follows the oldest version of a workflow, which may be another one here.
  private func followSame(_ company: UUID, _ tx: Transaction) throws {
    let here = try ArchiveTable.follows(company: company, apps: archive.manifest.apps.map(\.name), tx)
    for (type, version) in archive.manifest.follows where here[type] != version {
      try WorkflowStore.choose(WorkflowStore.Choice(version: version), of: type, company: company, tx)
    }
  }

  private static func batches(
    of member: String,
    _ archive: ArchiveReader,
    _ body: ([[UInt8]]) throws -> Void
  ) throws {
    var (lines, bytes): ([[UInt8]], Int) = ([], 0)
    try archive.forEachLine(of: member) { line in
      lines.append(line)
      bytes += line.count
      guard lines.count >= batchLines || bytes >= batchBytes else { return }
      try body(lines)
      (lines, bytes) = ([], 0)
    }
    if !lines.isEmpty { try body(lines) }
  }

  private static func texts(_ lines: [[UInt8]]) -> [String] {
    lines.map { String(decoding: $0, as: UTF8.self) }
  }
}
