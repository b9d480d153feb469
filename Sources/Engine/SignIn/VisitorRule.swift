internal import Domain
package import FoundationEssentials
package import Store

/// An app's part of the claim of a visitor: transfers the visitor's private records to the member who has signed in.
package struct VisitorRule: Sendable {
  /// Transfers the records within the transaction of the claim, and returns their number.
  ///
  /// The acting context is the member's. The visitor's membership has ended in this transaction.
  package let claim:
    @Sendable (
      _ records: Records, _ acting: ActingContext, _ visitor: UUID, _ access: Access, _ work: inout Work
    )
      throws -> Int

  package init(
    claim:
      @escaping @Sendable (
        _ records: Records, _ acting: ActingContext, _ visitor: UUID, _ access: Access, _ work: inout Work
      ) throws -> Int
  ) {
    self.claim = claim
  }
}
