internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Synchronization

/// Enforces quotas without a counter that every writer would have to lock.
///
/// It counts the live records. It then allows a tenth of the remaining number without counting for one
/// minute, so that up to ten processes together cannot exceed the quota. If fewer than ten records remain,
/// writers are serialised and count exactly.
///
/// Private types and the quota `*` are counted per member, since no member sees the private records of
/// others.
final class QuotaGate: Sendable {
  private let allowances = Mutex(QuotaAllowances())

  /// Checks the quotas before records are written.
  ///
  /// - Parameter unwritten: the records that count already but are neither written nor among the changes of the unit of
  ///   work, by type.
  /// - Throws: `quota_exceeded` if `count` more records would exceed a quota.
  func require(
    _ count: Int,
    of type: RecordType,
    _ quotas: [QuotaRow],
    _ catalogue: TypeCatalogue,
    _ access: Access,
    _ work: Work,
    unwritten: [String: Int] = [:]
  ) throws {
    let unwritten = unwritten.merging(work.changes.unwritten) { $0 + $1 }
    for quota in quotas {
      let isPrivate = type.definition.scope == .owner
      let key = QuotaAllowances.Key(
        company: work.context.company,
        quota: quota.recordType,
        maximum: quota.maximum,
        user: isPrivate || quota.recordType == "*" ? work.context.user : nil
      )
      let now = access.now.microseconds
      if allowances.withLock({ $0.take(Int64(count), key, at: now) }) { continue }
      let types = quota.recordType == "*" ? catalogue.types : [type]
      let planned = quota.recordType == "*" ? unwritten.values.reduce(0, +) : unwritten[type.name] ?? 0
      let maximum = quota.maximum - Int64(count + planned)
      var left = maximum - (try used(types, of: quota, work))
      if left >= 10 {
        let share = left / 10
        allowances.withLock { $0.give(share, key, at: now) }
        continue
      }
      _ = try work.transaction.rows(QuotaStore.queue(quota.recordType, company: key.company), String.self)
      left = maximum - (try used(types, of: quota, work))
      guard left >= 0 else { throw refusal(quota, type, access) }
    }
  }

  /// Checks the quotas after records were written, by an exact count.
  ///
  /// - Throws: `quota_exceeded` if a quota is exceeded, including the records of this unit of work.
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

  private func refusal(_ quota: QuotaRow, _ type: RecordType, _ access: Access) -> DomainError {
    let what = quota.recordType == "*" ? "records" : type.definition.plural.lowercased()
    return DomainError(
      .quotaExceeded,
      "\(access.companySlug) has reached its quota of \(quota.maximum) \(what)",
      details: ["type": .string(quota.recordType), "limit": .integer(quota.maximum)]
    )
  }
}
