internal import Domain
internal import Postgres
internal import Store

extension CompanyCheck {
  /// Recomputes every daily seal from the history and compares it with the stored seal.
  ///
  /// Only a seal shows that a chain was removed together with its record and its feed row.
  mutating func checkSeals() throws {
    let kept = try KeptSeal.all(company: company.id, tx)
    var previous: [UInt8] = []
    // A quick run checks only the newest seal, since a change of an older seal would change it too.
    let looked = scope.isQuick ? kept.suffix(1) : kept[...]
    if scope.isQuick, kept.count > 1 { previous = kept[kept.count - 2].seal.digest }
    for seal in looked {
      let now = try HistorySeal.compute(
        until: seal.seal.until,
        previous: previous,
        tx
      )
      if seal.previous != previous {
        add(seal, "does not follow the one before it")
      } else if now.recordCount != seal.seal.recordCount {
        add(seal, "covers \(seal.seal.recordCount) histories, but there are \(now.recordCount)")
      } else if now.digest != seal.seal.digest {
        add(seal, "does not fit what history says now")
      }
      previous = seal.seal.digest
    }
  }

  private mutating func add(_ seal: KeptSeal, _ what: String) {
    report.add(VerifyFinding(.sealBroken, company: company.slug, "the seal of \(seal.day) \(what)"))
  }
}
