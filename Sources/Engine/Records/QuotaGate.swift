internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Synchronization

/// Keeps companies to their quotas without a counter that every writer would have to lock.
///
/// What lives is counted, and a tenth of what is left is then given out from memory for a minute, so that up to
/// ten processes together cannot pass the quota. Where too little is left for that, those who write come one
/// after the other and count exactly. Types whose records are private are counted per member, since nobody sees
/// more.
final class QuotaGate: Sendable {
  private struct Key: Hashable {
    let company: UUID
    let quota: String
    let user: UUID?
  }

  private struct Allowance {
    var left: Int64
    let until: Int64
  }

  private static let validity: Int64 = 60_000_000
  private let allowances = Mutex<[Key: Allowance]>([:])

  /// - Throws: `quota_exceeded` when so many more records would be too many.
  func require(
    _ count: Int,
    of type: RecordType,
    _ quotas: [QuotaRow],
    _ catalogue: TypeCatalogue,
    _ access: Access,
    _ work: Work
  ) throws {
    for quota in quotas {
      let isPrivate = type.definition.scope == .owner
      let key = Key(
        company: work.context.company,
        quota: quota.recordType,
        user: isPrivate || quota.recordType == "*" ? work.context.user : nil
      )
      if take(Int64(count), key, at: access.now.microseconds) { continue }
      let types = quota.recordType == "*" ? catalogue.types : [type]
      var left = quota.maximum - Int64(count) - (try used(types, of: quota, work))
      if left >= 10 {
        keep(left / 10, key, until: access.now.microseconds + Self.validity)
        continue
      }
      _ = try work.transaction.rows(QuotaStore.queue(quota.recordType, company: key.company), String.self)
      left = quota.maximum - Int64(count) - (try used(types, of: quota, work))
      guard left >= 0 else { throw refusal(quota, type, access) }
    }
  }

  /// - Throws: `quota_exceeded` when there are too many records by now, those of this unit of work included.
  func requireKept(
    _ quotas: [QuotaRow],
    of type: RecordType,
    _ catalogue: TypeCatalogue,
    _ access: Access,
    _ work: Work
  ) throws {
    for quota in quotas {
      let types = quota.recordType == "*" ? catalogue.types : [type]
      guard try used(types, of: quota, work) <= quota.maximum else { throw refusal(quota, type, access) }
    }
  }

  private func used(_ types: [RecordType], of quota: QuotaRow, _ work: Work) throws -> Int64 {
    let tickets = try work.readMore { pipeline in
      types.map {
        pipeline.value(
          QuotaStore.count($0, company: work.context.company, upTo: quota.maximum + 1),
          as: Int64.self
        )
      }
    }
    return try tickets.reduce(0) { $0 + (try $1.first ?? 0) }
  }

  private func take(_ count: Int64, _ key: Key, at now: Int64) -> Bool {
    allowances.withLock { allowances in
      guard let found = allowances[key], now < found.until, found.left >= count else { return false }
      allowances[key]?.left -= count
      return true
    }
  }

  private func keep(_ left: Int64, _ key: Key, until: Int64) {
    allowances.withLock { allowances in
      if allowances.count >= 10_000 { allowances.removeAll() }
      allowances[key] = Allowance(left: left, until: until)
    }
  }

  private func refusal(_ quota: QuotaRow, _ type: RecordType, _ access: Access) -> DomainError {
    let what = quota.recordType == "*" ? "records" : type.definition.plural.lowercased()
    return DomainError(
      .quotaExceeded,
      "\(access.companySlug) may have \(quota.maximum) \(what) and has them",
      details: ["type": .string(quota.recordType), "limit": .integer(quota.maximum)]
    )
  }
}
