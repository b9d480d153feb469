import Domain
import Store
import Testing

@Suite struct YAMLDocumentTests {
  private func refusal(_ text: String) -> DomainError? {
    do {
      _ = try ManifestReader.read(text, document: "x.yaml")
      return nil
    } catch let error as DomainError {
      return error
    } catch {
      return nil
    }
  }

  @Test func `a page of YAML has a megabyte at most`() {
    let page = "app: demo\nversion: 1\ntitle: Demo\n"
    #expect(refusal(page + "# " + String(repeating: "x", count: 900_000)) == nil)
    let error = refusal(page + "# " + String(repeating: "x", count: 1_000_000))
    #expect(error?.code == .invalidDocument && error?.message.contains("larger than 1 MB") == true)
  }

  @Test func `a refusal names the line, also where one key begins like another`() {
    let error = refusal(
      """
      app: demo
      version: 1
      title: Demo
      types:
        demo.thing: { label: Thing, plural: Things, table: demo.thing, title_field: name }
        demo.thing.part:
          label: Part
      """
    )
    #expect(error?.details["line"]?.number?.integer == 6, "\(error as Any)")
  }

  @Test func `a refusal names the line of an element of a list`() {
    let error = refusal(
      """
      app: demo
      version: 1
      title: Demo
      reports:
        - { name: a, title: A, view: report.v1_a }
        - { name: b, title: B, veiw: report.v1_b }
      """
    )
    #expect(error?.code == .unknownKey && error?.details["line"]?.number?.integer == 6, "\(error as Any)")
  }
}
