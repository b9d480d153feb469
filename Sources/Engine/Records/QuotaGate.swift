internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Synchronization

/// Enforces quotas without a counter that every writer would have to lock.
///
/// Live records are counted, and a tenth of the remainder is then granted from memory for a minute, so that
/// up to ten processes together cannot exceed the quota. If the remainder is too small for that, writers are
/// serialised and count exactly. Private types are counted per member, since no member sees the records of
/// others.
final class QuotaGate: Sendable {
  private let allowances = Mutex(QuotaAllowances())

  /// - Throws: `quota_exceeded` if the additional records would exceed a quota.
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
      let key = QuotaAllowances.Key(
        company: work.context.company,
        quota: quota.recordType,
        user: isPrivate || quota.recordType == "*" ? work.context.user : nil
      )
      let now = access.now.microseconds
      if allowances.withLock({ $0.take(Int64(count), key, at: now) }) { continue }
      let types = quota.recordType == "*" ? catalogue.types : [type]
      var left = quota.maximum - Int64(count) - (try used(types, of: quota, work))
      if left >= 10 {
        let share = left / 10
        allowances.withLock { $0.give(share, key, at: now) }
        continue
      }
      _ = try work.transaction.rows(QuotaStore.queue(quota.recordType, company: key.company), String.self)
      left = quota.maximum - Int64(count) - (try used(types, of: quota, work))
      guard left >= 0 else { throw refusal(quota, type, access) }
    }
  }

  /// - Throws: `quota_exceeded` if a quota is exceeded now, counting the records of this unit of work.
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
      "\(access.companySlug) may have \(quota.maximum) \(what) and has them",
      details: ["type": .string(quota.recordType), "limit": .integer(quota.maximum)]
    )
  }
}
