"""Chapter Workbench: what two runs differ in, which parts matter, and why a head looks where it does."""
