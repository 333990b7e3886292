-- | What GHC's own parser finds in the files named on stdin. Tab-separated: path, name, line, group.
--
-- Run with @runghc -package ghc Haskell.hs@ (GHC 9.0). Lines of the C preprocessor are blanked out.
module Main (main) where

import Control.Monad (forM_)
import Data.List (isPrefixOf)
import GHC.Data.EnumSet (fromList)
import GHC.Data.FastString (mkFastString)
import GHC.Data.StringBuffer (stringToStringBuffer)
import GHC.Data.Bag (bagToList)
import GHC.Hs
import GHC.LanguageExtensions (Extension (..))
import GHC.Parser (parseModule)
import GHC.Parser.Lexer
import GHC.Types.Name.Occurrence (occNameString)
import GHC.Types.Name.Reader (RdrName, rdrNameOcc)
import GHC.Types.SrcLoc
import GHC.Unit.Types (mainUnitId)

main :: IO ()
main = do
  paths <- lines <$> getContents
  forM_ paths $ \path -> do
    text <- readFile path
    case parsed path text of
      PFailed _ -> putStrLn (path ++ "\t\t0\terror")
      POk _ (L _ found) -> forM_ (hsmodDecls found) $ \(L _ each) ->
        forM_ (declared each) $ \(L at name, group) ->
          putStrLn (concat [path, "\t", occNameString (rdrNameOcc name), "\t", line at, "\t", group])

line :: SrcSpan -> String
line (RealSrcSpan at _) = show (srcSpanStartLine at)
line _ = "0"

parsed :: FilePath -> String -> ParseResult (Located HsModule)
parsed path text = unP parseModule (mkPStatePure options (stringToStringBuffer (plain text)) start)
  where
    start = mkRealSrcLoc (mkFastString path) 1 1
    options = mkParserFlags' (fromList []) (fromList extensions) mainUnitId False True True True
    plain = unlines . map (\each -> if "#" `isPrefixOf` each then "" else each) . lines

extensions :: [Extension]
extensions =
  [ BangPatterns, ConstraintKinds, DataKinds, DefaultSignatures, DeriveAnyClass, DeriveDataTypeable, DeriveFunctor
  , DeriveGeneric, DeriveLift, DeriveTraversable, DerivingStrategies, DerivingVia, EmptyDataDecls, ExistentialQuantification
  , ExplicitForAll, FlexibleContexts, FlexibleInstances, ForeignFunctionInterface, FunctionalDependencies, GADTs, GADTSyntax
  , GeneralizedNewtypeDeriving, ImplicitParams, KindSignatures, LambdaCase, MagicHash, MultiParamTypeClasses, MultiWayIf
  , RecordPuns, NumericUnderscores, OverloadedStrings, PackageImports, PatternGuards, PatternSynonyms, PolyKinds
  , QuasiQuotes, RankNTypes, RecordWildCards, RoleAnnotations, ScopedTypeVariables, StandaloneDeriving
  , StandaloneKindSignatures, TemplateHaskell, TemplateHaskellQuotes, TupleSections, TypeApplications, TypeFamilies
  , TypeOperators, UnboxedTuples, UndecidableInstances, UnicodeSyntax, ViewPatterns, TraditionalRecordSyntax
  ]

declared :: HsDecl GhcPs -> [(Located RdrName, String)]
declared (TyClD _ each) = ofType each
declared (InstD _ (ClsInstD _ each)) = concatMap (ofBind . unLoc) (bagToList (cid_binds each))
declared (ValD _ each) = ofBind each
declared (SigD _ each) = ofSig each
declared (ForD _ each) = [(fd_name each, "function")]
declared _ = []

ofType :: TyClDecl GhcPs -> [(Located RdrName, String)]
ofType (FamDecl _ each) = [(fdLName each, "type")]
ofType each@SynDecl{} = [(tcdLName each, "type")]
ofType each@DataDecl{} = (tcdLName each, "type") : concatMap (constructors . unLoc) (dd_cons (tcdDataDefn each))
ofType each@ClassDecl{} =
  (tcdLName each, "type")
    : [(fdLName (unLoc family), "type") | family <- tcdATs each]
    ++ concatMap (ofSig . unLoc) (tcdSigs each)
    ++ concatMap (ofBind . unLoc) (bagToList (tcdMeths each))

constructors :: ConDecl GhcPs -> [(Located RdrName, String)]
constructors each@ConDeclGADT{} = [(name, "constructor") | name <- con_names each]
constructors each = [(con_name each, "constructor")]

ofSig :: Sig GhcPs -> [(Located RdrName, String)]
ofSig (TypeSig _ names _) = [(name, "function") | name <- names]
ofSig (ClassOpSig _ False names _) = [(name, "function") | name <- names]
ofSig _ = []

ofBind :: HsBindLR GhcPs GhcPs -> [(Located RdrName, String)]
ofBind each@FunBind{} = [(fun_id each, "function")]
ofBind _ = []
