import Prometheus
import Server
import Testing

/// The counters of what devices send and ask for.
@Suite struct SyncMetricsTests {
  @Test func `changes are counted by judgement and code, without companies or devices`() {
    let registry = MetricsRegistry(SyncMetrics.descriptions)
    let metrics = SyncMetrics(registry)
    metrics.countPush([("applied", nil), ("applied", nil), ("rejected", "forbidden"), ("replayed", nil)])
    metrics.countPush([])
    metrics.countPull()
    metrics.set(streams: 3, requests: 2)
    let text = registry.text()
    let lines = [
      #"fettle_sync_changes_total{result="applied",code="none"} 2"#,
      #"fettle_sync_changes_total{result="rejected",code="forbidden"} 1"#,
      #"fettle_sync_changes_total{result="replayed",code="none"} 1"#, "fettle_sync_pushes_total 2",
      "fettle_sync_pulls_total 1", #"fettle_sync_listeners{kind="stream"} 3"#,
      #"fettle_sync_listeners{kind="pull"} 2"#,
    ]
    for line in lines { #expect(text.contains("\n\(line)\n"), "\(line) in \(text)") }
    for metric in SyncMetrics.descriptions {
      #expect(!metric.labels.contains { ["company", "company_id", "member", "device"].contains($0) })
    }
  }
}
